import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import { withSeed } from '@tideport/testing/with-seed'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { fetchBytes } from '../support/reading.ts'
import { startTestStack } from '../support/start-test-stack.ts'
import { hotCopies } from '../support/stored-copies.ts'
import { uniqueBytes } from '../support/uploads.ts'
import { type Confirmed, type FaultAccount, openAccount } from './support/account.ts'
import { watchCopies } from './support/copies.ts'
import { endDeadClaims } from './support/end-dead-claims.ts'
import { CALM, startLoad } from './support/load.ts'
import { killProcess } from './support/processes.ts'
import { startReading } from './support/reading.ts'

/** Under way at each moment at which a process is killed or replaced. */
const FEW = 5
const FILES_TO_MOVE = 300
const KILLS_OF_EACH = 2
const workers = ['files', 'sync', 'eviction'] as const
const env = {
  EVICTIONS_PER_MINUTE_MAX: '100000',
  CONNECTION_DRAIN_SECONDS: '1',
  // What a process of the old configuration did behind a walk is seen by the next one.
  COPY_WALK_SECONDS: '3',
}

/** Up to a thousand files on a machine that does ten other things. */
const allowed = { timeout: 1_500_000 }

const parts = new AsyncDisposableStack()
let stack: Awaited<ReturnType<typeof startTestStack>>
let account: FaultAccount
let copies: ReturnType<typeof watchCopies>

beforeAll(async () => {
  const replicas = Object.fromEntries(workers.map((name) => [name, 2]))
  stack = parts.use(await startTestStack({ networks: ['disk-a', 'disk-b'], replicas, env }))
  account = parts.use(await openAccount(stack))
  copies = watchCopies(stack, account)
})

afterAll(() => parts.disposeAsync())

/** Eight at a time, where there are so many. */
async function forEach<T>(items: IterableIterator<T>, work: (item: T) => Promise<unknown>): Promise<void> {
  const next = async () => {
    for (const item of items) await work(item)
  }
  await Promise.all(Array.from({ length: 8 }, next))
}

const uploadMany = (count: number) => forEach(Array(count).keys(), () => account.upload(uniqueBytes()))

/** Asks once: nothing but the bytes will do. */
async function readOnce({ file, bytes }: Confirmed): Promise<void> {
  const [gatewayUrl] = stack.describe().gatewayUrls
  const answer = await fetchBytes(`${gatewayUrl}/api/public/files/${file.id}`)
  expect({ status: answer.status, isWhole: answer.bytes.equals(bytes) }).toEqual({ status: 200, isWhole: true })
}

// One after the other: each begins with the networks that the one before has left.
test(
  'a network that is away keeps its own copies waiting alone: the other one stores, hot bytes stay until both have them',
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

test(
  'old and new configuration at once, and kill -9 again and again: no bytes are lost, and one is left at the end',
  allowed,
  async () => {
    await uploadMany(FEW)
    using reading = startReading(account, (upload) => account.expectReadable(upload))
    const after = { networks: ['disk-a', 'disk-c', 'disk-b'], leaving: ['disk-b'] }
    await Promise.all([stack.changeNetworks({ ...after, replicas: [1] }), uploadMany(FEW)])
    await withSeed(async (random) => {
      for (const worker of Array.from({ length: KILLS_OF_EACH }, () => workers).flat()) {
        await Promise.all([uploadMany(FEW), killProcess(stack, worker, random() < 0.5 ? 0 : 1)])
      }
    })
    await endDeadClaims(stack)
    await Promise.all([stack.changeNetworks({ ...after, replicas: [0] }), uploadMany(FEW)])
    expect(await reading.stop()).toBeGreaterThan(0)
    await copies.untilAllHave({ 'disk-a': 'proved', 'disk-c': 'proved' })
    await copies.untilEmpty('disk-b')
    expect([...account.client.statuses].filter((status) => status >= 500 && status !== 503)).toEqual([])
  },
)

test(
  'one network is gone, a third is filled and one is left while files are uploaded, and every read brings the bytes at once',
  allowed,
  async () => {
    await uploadMany(FILES_TO_MOVE)
    await copies.untilAllHave({ 'disk-a': 'proved', 'disk-c': 'proved' })
    using load = startLoad(account, CALM)
    using reading = startReading(account, readOnce)
    const after = { networks: ['disk-a', 'disk-c', 'disk-d'], leaving: ['disk-a'] }
    await Promise.all([stack.changeNetworks(after), uploadMany(FEW)])
    await copies.untilAllHave({ 'disk-c': 'proved', 'disk-d': 'proved' })
    await copies.untilEmpty('disk-a')
    await load.stop()
    expect(await reading.stop()).toBeGreaterThan(0)
    expect([...account.client.statuses].filter((status) => status >= 500 && status !== 503)).toEqual([])
  },
)

test(
  'after all that every file is cold with all its bytes, every event was delivered once, and a purge leaves nothing',
  allowed,
  async () => {
    await account.expectConvergence()
    await forEach(account.confirmed.values(), ({ file }) =>
      account.client.ask(200, 'DELETE', `/api/files/${file.id}?permanent=true`),
    )
    for (const network of ['disk-a', 'disk-b', 'disk-c', 'disk-d']) await copies.untilEmpty(network)
  },
)
