import { startS3 } from '@tideport/testing/s3'
import { waitFor } from '@tideport/testing/wait-for'
import { withSeed } from '@tideport/testing/with-seed'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchBytes } from '../support/reading.ts'
import { startTestStack } from '../support/start-test-stack.ts'
import { uniqueBytes } from '../support/uploads.ts'
import { type FaultAccount, openAccount } from './support/account.ts'
import { watchCopies } from './support/copies.ts'
import { runOperator } from './support/drill.ts'
import { endDeadClaims } from './support/end-dead-claims.ts'
import { forEach } from './support/for-each.ts'
import { CALM, startLoad } from './support/load.ts'
import { findProcess, killProcess } from './support/processes.ts'
import { startReading } from './support/reading.ts'

interface Copy {
  network: string
  blobId: string | null
  state: string
}

const FILES = 100
const workers = ['files', 'sync', 'eviction'] as const
const env = { EVICTIONS_PER_MINUTE_MAX: '100000', CONNECTION_DRAIN_SECONDS: '1', COPY_WALK_SECONDS: '3' }
const allowed = { timeout: 3_600_000 }

const parts = new AsyncDisposableStack()
let stack: Awaited<ReturnType<typeof startTestStack>>
let account: FaultAccount
let bucket: Record<string, string>

beforeAll(async () => {
  const { endpoint, region, bucket: name, accessKeyId, secretAccessKey } = parts.use(await startS3()).settings
  const given = { DRIVER: 's3', ENDPOINT: endpoint, REGION: region, BUCKET: name, FORCE_PATH_STYLE: 'true' }
  const all = { ...given, ACCESS_KEY_ID: accessKeyId, SECRET_ACCESS_KEY: secretAccessKey }
  bucket = Object.fromEntries(Object.entries(all).map(([word, value]) => [`NETWORK_VAULT_${word}`, value]))
  const replicas = Object.fromEntries(workers.map((name) => [name, 2]))
  stack = parts.use(await startTestStack({ together: [], networks: ['disk'], replicas, env }))
  account = parts.use(await openAccount(stack))
})
afterAll(() => parts.disposeAsync())

const copiesOf = async (id: string) =>
  (await account.client.ask<{ copies: Copy[] }>(200, 'GET', `/api/files/${id}/copies`)).copies

/** The remaining copies on a network, as eviction counts them. Null: eviction exposes no count. */
async function copiesLeft(network: string): Promise<number | null> {
  const text = await (await fetch(`${findProcess(stack, 'eviction').adminUrl}/metrics`)).text()
  const found = new RegExp(`^tideport_copies_left\\{[^}]*network="${network}"[^}]*\\} (\\S+)$`, 'm').exec(text)
  return found ? Number(found[1]) : null
}

/** Moves all files to another driver: add, wait, leave, wait, remove (docs/operate/networks/overview.md). */
async function move(from: string, to: string): Promise<void> {
  const before = performance.now()
  const change = (networks: string[], more: { leaving?: string[]; replicas?: number[] } = {}) =>
    stack.changeNetworks({ networks, settings: bucket, ...more })
  const copies = watchCopies(stack, account)
  await change([from, to])
  await change([from, to], { leaving: [from], replicas: [1] })
  await withSeed(async (random) => {
    for (const worker of workers) await killProcess(stack, worker, random() < 0.5 ? 0 : 1)
  })
  await endDeadClaims(stack)
  await change([from, to], { leaving: [from] })
  await copies.untilAllHave({ [to]: 'proved' })
  await waitFor(async () => (await copiesLeft(from)) === 0, { what: `0 copies left on ${from}`, timeoutMs: 120_000 })
  const settings = { STORAGE_NETWORKS: to, [`NETWORK_${to.toUpperCase().replaceAll('-', '_')}_DIR`]: '/nowhere' }
  const { rows } = await runOperator(stack.dataDir, stack.describe(), ['networks', '--json'], settings)
  const files = account.confirmed.length
  expect(rows.find(({ network }) => network === from)).toMatchObject({ stored: 0, proved: 0, dropping: 0, bytes: 0 })
  expect(rows.find(({ network }) => network === to)?.proved).toBeGreaterThanOrEqual(Math.min(files, FILES))
  await change([to])
  console.info(`${files} files from ${from} to ${to} in ${Math.round((performance.now() - before) / 1000)} s`)
}

test(
  'files move between a disk, a bucket, and an IPFS node under load and kills, and stay readable by old and new blob IDs',
  allowed,
  async () => {
    await forEach(Array(FILES).keys(), () => account.upload(uniqueBytes()))
    await watchCopies(stack, account).untilAllHave({ disk: 'proved' })
    const moved = [...account.confirmed]
    const firstIds = new Map<string, string>()
    await forEach(moved.values(), async ({ file: { id } }) => firstIds.set(id, (await copiesOf(id))[0]?.blobId ?? ''))
    using load = startLoad(account, CALM)
    using reading = startReading(account, ({ file, bytes }) =>
      account.expectReadable({ file: { ...file, storageNetworkBlobId: firstIds.get(file.id) ?? null }, bytes }),
    )
    for (const [from, to] of [['disk', 'vault'], ['vault', 'ipfs'], ['ipfs', 'shelf']] as const) await move(from, to) // biome-ignore format: a table
    await load.stop()
    expect(await reading.stop()).toBeGreaterThan(0)
    const [gatewayUrl] = stack.describe().gatewayUrls
    await forEach(moved.values(), async ({ file: { id }, bytes }) => {
      const all = await copiesOf(id)
      expect(Object.fromEntries(all.map(({ network, state }) => [network, state]))).toEqual({
        ...{ disk: 'dropped', vault: 'dropped', ipfs: 'dropped', shelf: 'proved' },
      })
      // A copy that an old configuration planned again, and that was released before it was stored, has no ID.
      const ids = all.flatMap(({ blobId }) => blobId ?? [])
      for (const blobId of new Set([firstIds.get(id), ...ids])) {
        const read = await fetchBytes(`${gatewayUrl}/api/public/blobs/${blobId}`)
        expect(read.bytes.equals(bytes), `${id} by ${blobId}`).toBe(true)
      }
    })
    await account.expectConvergence()
    expect([...account.client.statuses].filter((status) => status >= 500 && status !== 503)).toEqual([])
  },
)
