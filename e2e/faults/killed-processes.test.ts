import { createFailpoints, type Failpoints } from '@tideport/testing/failpoints'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestStack } from '../support/start-test-stack.ts'
import { uniqueBytes } from '../support/uploads.ts'
import { type FaultAccount, openAccount } from './support/account.ts'
import { endDeadClaims } from './support/end-dead-claims.ts'
import { startLoad } from './support/load.ts'
import { killProcess, type TestStack } from './support/processes.ts'

const services = ['gateway', 'auth', 'files', 'sync', 'eviction', 'webhooks'] as const

// Eviction first: what dies there is not held up a second time by a claim lost at sync.
const failpoints = [
  'evict.before-delete',
  'evict.after-delete',
  'store.before-commit',
  'store.after-commit',
  'confirm.before-complete',
  'confirm.after-complete',
  'confirm.before-commit',
  'relay.claimed',
  'relay.between',
  'deliver.before-send',
  'deliver.after-send',
]

const parts = new AsyncDisposableStack()
let armed: Failpoints
let stack: TestStack
let interrupted: FaultAccount
let loaded: FaultAccount

beforeAll(async () => {
  armed = parts.use(await createFailpoints())
  const env = { FAILPOINT_DIR: armed.directory, WEBHOOK_TIMEOUT_SECONDS: '2' }
  const replicas = Object.fromEntries(services.map((name) => [name, 2]))
  stack = parts.use(await startTestStack({ env, replicas }))
  interrupted = parts.use(await openAccount(stack))
  loaded = parts.use(await openAccount(stack))
})

afterAll(() => parts.disposeAsync())

// One after the other, so that each process dies at its own failpoint and nobody at two of them.
test.each(failpoints)('a confirmed file is readable although a process was killed with -9 at %s', async (point) => {
  await armed.kill(point)
  const upload = await interrupted.upload(uniqueBytes(200_000))
  await armed.waitUntilHit(point, { timeoutMs: 150_000 })
  await interrupted.expectReadable(upload)
})

test('one of two replicas of every service is killed with -9 under load: no answer of 500 or more but 503', async () => {
  using load = startLoad(loaded)
  await load.awaitProgress(10)
  const restarted = Promise.all(services.map((name) => killProcess(stack, name)))
  await load.awaitProgress(10)
  await restarted
  await endDeadClaims(stack)
  await load.awaitProgress(10)
  await load.stop()
  expect([...loaded.client.statuses].filter((status) => status >= 500 && status !== 503)).toEqual([])
})

// The rest waits, also for claims of workers that died.
test.concurrent('what was interrupted at failpoints converges: cold with all bytes, every event delivered once', async () => {
  expect(interrupted.confirmed).toHaveLength(failpoints.length)
  await interrupted.expectConvergence()
})

test.concurrent('what was uploaded under load converges: cold with all bytes, every event delivered once', async () => {
  await loaded.expectConvergence()
})
