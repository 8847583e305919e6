import { createFailpoints, type Failpoints } from '@tideport/testing/failpoints'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createVault, newAccount } from '../support/account.ts'
import { createApiClient } from '../support/api-client.ts'
import { startTestStack } from '../support/start-test-stack.ts'
import { uniqueBytes, untilStatus, uploadFile } from '../support/uploads.ts'
import { type FaultAccount, openAccount } from './support/account.ts'
import { endDeadClaims } from './support/end-dead-claims.ts'
import { startLoad } from './support/load.ts'
import { killProcess, type TestStack } from './support/processes.ts'

const services = ['gateway', 'auth', 'files', 'sync', 'eviction', 'webhooks'] as const

/** Failpoints that no service test covers. The tests of sync, eviction, and webhooks cover theirs and `relay.claimed`. */
const failpoints = ['confirm.before-complete', 'confirm.after-complete', 'confirm.before-commit', 'relay.between']

/** Slow, so that reading 20 KiB in an operator run takes longer than the kill. */
const slowVerify = { DEVELOPMENT_OPERATOR: 'ops', COPY_CHECK_BYTES_PER_SECOND: '1024' }

interface Run {
  id: string
  state: string
  counts: Record<string, number>
  findings: object[]
}

const parts = new AsyncDisposableStack()
let armed: Failpoints
let stack: TestStack
let interrupted: FaultAccount
let loaded: FaultAccount

beforeAll(async () => {
  armed = parts.use(await createFailpoints())
  const env = { ...slowVerify, FAILPOINT_DIR: armed.directory, WEBHOOK_TIMEOUT_SECONDS: '2' }
  const replicas = Object.fromEntries(services.map((name) => [name, 2]))
  stack = parts.use(await startTestStack({ together: [], env, replicas }))
  interrupted = parts.use(await openAccount(stack))
  loaded = parts.use(await openAccount(stack))
})

afterAll(() => parts.disposeAsync())

// Runs first, because it counts all existing copies.
test('a verify run resumes after its process is killed, and counts nothing twice', async () => {
  const gateway = stack.describe().gatewayUrls[0] as string
  const operator = createApiClient(gateway, { 'X-Dev-Provider-Id': 'ops' })
  const owner = newAccount(gateway)
  const { id: vaultId } = await createVault(owner, 'public')
  const bytes = [1, 2].map((n) => Buffer.alloc(10_240, n))
  for (const body of bytes) {
    const { id } = await uploadFile(owner, { vaultId, bytes: body })
    await untilStatus(owner, id, 'cold')
  }
  const started = await operator.post<Run>('/api/operator/runs', { kind: 'verify', dryRun: false })
  expect(started.status).toBe(201)
  const read = async () => (await operator.get<Run>(`/api/operator/runs/${started.body.id}`)).body
  const until = (what: string, isSo: (run: Run) => boolean) =>
    waitFor(
      async () => {
        const run = await read()
        return isSo(run) && run
      },
      { what, timeoutMs: 150_000 },
    )
  const begun = await until('its first batch', ({ counts }) => counts.proved === 2)
  expect(begun.state).toBe('running')
  // Kills both, because either of them may run it.
  await Promise.all([0, 1].map((replica) => killProcess(stack, 'eviction', replica)))
  await endDeadClaims(stack)

  const done = await until('its end', ({ state }) => state === 'done')
  expect(done).toMatchObject({ counts: { proved: 2, failed: 0, bytes: 20_480 }, findings: [] })
  const again = await operator.post<Run>('/api/operator/runs', { kind: 'reconcile' })
  expect(again.status).toBe(201)
  const isOver = async () => (await operator.get<Run>(`/api/operator/runs/${again.body.id}`)).body.state === 'done'
  await waitFor(isOver, { what: 'the other run to be over' })
})

// Sequential, so each process is killed only at its own failpoint.
test.each(failpoints)('a confirmed file stays readable when a process is killed at %s', async (point) => {
  await armed.kill(point)
  const upload = await interrupted.upload(uniqueBytes(200_000))
  await armed.waitUntilHit(point, { timeoutMs: 150_000 })
  await interrupted.expectReadable(upload)
})

test('killing one of two replicas of every service under load causes no 5xx except 503', async () => {
  using load = startLoad(loaded)
  await load.awaitProgress(4)
  const restarted = Promise.all(services.map((name) => killProcess(stack, name)))
  await load.awaitProgress(4)
  await restarted
  await endDeadClaims(stack)
  await load.awaitProgress(4)
  await load.stop()
  expect([...loaded.client.statuses].filter((status) => status >= 500 && status !== 503)).toEqual([])
})

// These files also wait until claims of killed workers expire.
test.concurrent('files that were interrupted at failpoints become cold with all bytes, and every event is delivered once', async () => {
  expect(interrupted.confirmed).toHaveLength(failpoints.length)
  await interrupted.expectConvergence()
})

test.concurrent('files that were uploaded under load become cold with all bytes, and every event is delivered once', async () => {
  await loaded.expectConvergence()
})
