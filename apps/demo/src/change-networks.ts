import { readdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import type { NetworkChange } from '@tideport/dev-stack/stack/change-networks'
import { createClient } from '@tideport/sdk'
import { createManyFiles } from './many-files.ts'
import type { Timings } from './timings.ts'

const CALL_WAIT_MS = 90_000
const POLL_MS = 500
const WAIT_MS = 5 * 60_000

export interface ChangingStack {
  gatewayUrl: string
  /** By network name. */
  networkDirs: Readonly<Record<string, string>>
  changeNetworks: (change: NetworkChange) => Promise<void>
}

/**
 * Adds a network to a running stack, waits until it is full, and empties and removes another one, while files are
 * uploaded and read. Throws at the first wrong read.
 */
export async function changeNetworks(
  stack: ChangingStack,
  count: number,
  timings: Timings,
  tell: (line: string) => void,
): Promise<void> {
  const { gatewayUrl, networkDirs } = stack
  const development = { providerId: 'demo-many' }
  // Calls fail while a process is replaced, so each is retried.
  const client = createClient({ baseUrl: gatewayUrl, timeoutMs: CALL_WAIT_MS, development, attempts: 30 })
  const files = await createManyFiles(client)
  const time = (step: string, work: () => Promise<void>) => timings.time(step, 'many', work)
  const before = Object.keys(networkDirs)
  const [left = ''] = before
  const added = nameOfAnother(before)
  const after = [...before, added].filter((name) => name !== left)

  await time('upload and confirm', () => files.upload(count))
  await time('hot → cold', () => files.awaitCopies(before))
  tell(`many: ${files.count} files are on ${before.join(' and ')}; uploads and reads now run continuously`)
  const stopUsing = files.keepUsing()
  await time('network added', async () => {
    await stack.changeNetworks({ networks: [...before, added] })
    await files.awaitCopies([...before, added])
  })
  tell(`many: ${added} was added during operation; each of the ${files.count} files has a proved copy there`)
  await time('network removed', async () => {
    await stack.changeNetworks({ networks: [...before, added], leaving: [left] })
    await files.awaitCopies(after)
    await awaitEmpty(left, networkDirs[left] ?? '')
  })
  const { uploads, reads } = await stopUsing()
  await files.awaitCopies(after)
  await stack.changeNetworks({ networks: after })
  await time('read when cold', () => files.readAll())
  tell(`many: ${left} was emptied and removed; all ${files.count} files read back unchanged`)
  tell(`many: meanwhile, ${uploads} files were uploaded and ${reads} read; no read failed`)
}

/** Waits until the network has no copies, including those of earlier files. */
async function awaitEmpty(network: string, dir: string): Promise<void> {
  for (const startedAt = performance.now(); ; await delay(POLL_MS)) {
    const copies = (await readdir(dir)).filter((name) => name.startsWith('baf'))
    if (copies.length === 0) return
    if (performance.now() - startedAt > WAIT_MS)
      throw new Error(`${network} is leaving but still has ${copies.length} copies`)
  }
}

function nameOfAnother(names: readonly string[]): string {
  const letter = [...'abcdefghijklmnopqrstuvwxyz'].find((one) => !names.includes(`disk-${one}`))
  return `disk-${letter}`
}
