import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startStack } from '@tideport/dev-stack/stack/start-stack'
import { median, print, timed } from '../measure.ts'
import { openStalledReaders } from './open-stalled-readers.ts'
import { type Owner, ownerOf } from './owner.ts'

const READERS = 2000
/** More than the kernels on its way buffer. */
const FILE_BYTES = 32 * 1024 * 1024
const ROUNDS = 20

/**
 * How long an upload (request, PUT and confirm of 1 KB) and a JSON answer take while 2,000 readers of a hot or a cold
 * file have asked for it and read nothing: from one address and from 2,000 of them, with the limits as they are. Beside
 * it the same without readers.
 */
export async function benchStalledReaders(): Promise<void> {
  await using stack = new AsyncDisposableStack()
  const dataDir = await mkdtemp(join(tmpdir(), 'tideport-bench-'))
  stack.defer(() => rm(dataDir, { recursive: true, force: true }))
  const env = { HOT_RETENTION_SECONDS: '1', DOWNLOAD_URL_SECONDS: '1', LOG_LEVEL: 'error' }
  const running = stack.use(await startStack({ dataDir, port: 0, durable: false, quiet: true, env }))
  const { gatewayUrls, processes } = running.describe()
  const owner = ownerOf(gatewayUrls[0] as string)
  const cold = await owner.upload(FILE_BYTES)
  await owner.untilCold(cold)
  // From here on nothing leaves the hot tier.
  const eviction = processes.find(({ name }) => name === 'eviction')
  if (eviction) process.kill(eviction.pid, 'SIGSTOP')
  stack.defer(() => void (eviction && process.kill(eviction.pid, 'SIGCONT')))
  const hot = await owner.upload(FILE_BYTES)

  await measure(owner)
  const runs = [{ name: 'no readers', times: await measure(owner) }]
  for (const [tier, fileId] of [['hot', hot] as const, ['cold', cold] as const]) {
    for (const addresses of [1, READERS]) {
      await using readers = await openStalledReaders(owner.publicUrl(fileId), { count: READERS, addresses })
      const name = `${tier}, ${addresses === 1 ? 'one address' : 'many addresses'}: ${readers.served()} of ${READERS} served`
      runs.push({ name, times: await measure(owner) })
    }
  }
  for (const what of ['upload', 'answer'] as const) {
    const base = median(runs[0]?.times[what] ?? [])
    const rows = runs.map(({ name, times }) => {
      const own = median(times[what])
      return { name, median: own, worst: Math.max(...times[what]), ratio: own / base }
    })
    print(what === 'upload' ? 'An upload' : 'A JSON answer', 'ms', rows)
  }
}

async function measure(owner: Owner): Promise<{ upload: number[]; answer: number[] }> {
  const times = { upload: [] as number[], answer: [] as number[] }
  for (let round = 0; round < ROUNDS; round += 1) {
    times.upload.push(await timed(() => owner.upload(1000)))
    times.answer.push(await timed(() => owner.listVaults()))
  }
  return times
}
