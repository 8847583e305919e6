import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchBytes } from '../support/reading.ts'
import { startTestStack } from '../support/start-test-stack.ts'
import { hotCopies } from '../support/stored-copies.ts'
import { uniqueBytes } from '../support/uploads.ts'
import { type Confirmed, type FaultAccount, openAccount } from './support/account.ts'
import { watchCopies } from './support/copies.ts'
import { forEach } from './support/for-each.ts'
import { CALM, startLoad } from './support/load.ts'
import { startReading } from './support/reading.ts'

/** Uploaded while processes are replaced. */
const FEW = 5
const FILES_TO_MOVE = 300
const env = { EVICTIONS_PER_MINUTE_MAX: '100000', CONNECTION_DRAIN_SECONDS: '1', COPY_WALK_SECONDS: '3' }

/** Long enough for a thousand files on a busy machine. */
const allowed = { timeout: 1_500_000 }

const parts = new AsyncDisposableStack()
let stack: Awaited<ReturnType<typeof startTestStack>>
let account: FaultAccount
let copies: ReturnType<typeof watchCopies>

beforeAll(async () => {
  const replicas = { files: 2, sync: 2, eviction: 2 }
  stack = parts.use(await startTestStack({ together: [], networks: ['disk-a', 'disk-b'], replicas, env }))
  account = parts.use(await openAccount(stack))
  copies = watchCopies(stack, account)
})

afterAll(() => parts.disposeAsync())

const uploadMany = (count: number) => forEach(Array(count).keys(), () => account.upload(uniqueBytes()))

/** Reads the file once. Fails unless the bytes are correct. */
async function readOnce({ file, bytes }: Confirmed): Promise<void> {
  const [gatewayUrl] = stack.describe().gatewayUrls
  const answer = await fetchBytes(`${gatewayUrl}/api/public/files/${file.id}`)
  expect({ status: answer.status, isWhole: answer.bytes.equals(bytes) }).toEqual({ status: 200, isWhole: true })
}

// The order matters: each test starts with the networks of the previous test.
test(
  'an unavailable network delays only its own copies: the other one stores, and hot bytes stay until both have a copy',
  allowed,
  async () => {
    const dir = join(stack.dataDir, 'networks', 'disk-b')
    await rename(dir, `${dir}.aside`)
    await uploadMany(FEW)
    await copies.untilAllHave({ 'disk-a': 'proved', 'disk-b': 'planned' })
    for (const { file } of account.confirmed) expect(await hotCopies(stack.describe(), file.id)).toHaveLength(1)
    await rename(`${dir}.aside`, dir)
    await copies.untilAllHave({ 'disk-a': 'proved', 'disk-b': 'proved' })
  },
)

test('a third network is filled and one is emptied during uploads, and every read succeeds', allowed, async () => {
  await uploadMany(FILES_TO_MOVE)
  await copies.untilAllHave({ 'disk-a': 'proved', 'disk-b': 'proved' })
  using load = startLoad(account, CALM)
  using reading = startReading(account, readOnce)
  const after = { networks: ['disk-a', 'disk-b', 'disk-c'], leaving: ['disk-a'] }
  await Promise.all([stack.changeNetworks(after), uploadMany(FEW)])
  await copies.untilAllHave({ 'disk-b': 'proved', 'disk-c': 'proved' })
  await copies.untilEmpty('disk-a')
  await load.stop()
  expect(await reading.stop()).toBeGreaterThan(0)
  expect([...account.client.statuses].filter((status) => status >= 500 && status !== 503)).toEqual([])
})

test(
  'afterwards every file is cold with all its bytes, every event was delivered once, and a purge leaves nothing',
  allowed,
  async () => {
    await account.expectConvergence()
    await forEach(account.confirmed.values(), ({ file }) =>
      account.client.ask(200, 'DELETE', `/api/files/${file.id}?permanent=true`),
    )
    for (const network of ['disk-a', 'disk-b', 'disk-c']) await copies.untilEmpty(network)
  },
)
