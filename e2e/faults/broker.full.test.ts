import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createKey, withToken } from '../support/account.ts'
import { createApiClient } from '../support/api-client.ts'
import { startTestStack } from '../support/start-test-stack.ts'
import { uniqueBytes } from '../support/uploads.ts'
import { type FaultAccount, openAccount } from './support/account.ts'
import { findProcess, killProcess, signalProcess, type TestStack } from './support/processes.ts'

/** Requests time out. The clients ping every 5 s, close their connection, and try to reconnect. */
const STANDSTILL_MS = 20_000
/** The minimum number of rounds of use. */
const ROUNDS = 6

const parts = new AsyncDisposableStack()
let stack: TestStack

beforeAll(async () => {
  stack = parts.use(await startTestStack({ together: [] }))
})

afterAll(() => parts.disposeAsync())

test('a broker that is unresponsive for 20 seconds does not affect clients, and each event then arrives once', async () => {
  await using account = await openAccount(stack)
  const gatewayUrl = stack.describe().gatewayUrls[0] as string
  const broker = findProcess(stack, 'nats')
  signalProcess(broker, 'SIGSTOP')
  const stoppedAt = performance.now()
  try {
    // Before and while the clients try to reconnect.
    const isOver = (rounds: number) => rounds >= ROUNDS && performance.now() - stoppedAt >= STANDSTILL_MS
    await useSteadily(account, gatewayUrl, isOver)
  } finally {
    signalProcess(broker, 'SIGCONT')
  }
  expect([...account.client.statuses].filter((status) => status >= 500)).toEqual([])
  await account.expectConvergence()
})

test('uploads and reads continue while the broker is killed repeatedly, and the events arrive afterwards', async () => {
  await using account = await openAccount(stack)
  for (let n = 0; n < 3; n++) {
    const killed = killProcess(stack, 'nats')
    await account.expectReadable(await account.upload(uniqueBytes()))
    await killed
  }
  expect([...account.client.statuses].filter((status) => status >= 500)).toEqual([])
  await account.expectConvergence()
})

test('no event is lost or delivered twice when the broker restarts with an empty disk while files are processed', async () => {
  await using account = await openAccount(stack)
  const uploading = (async () => {
    for (let n = 0; n < 10; n++) await account.upload(uniqueBytes())
  })()
  await waitFor(() => account.confirmed.length >= 4, { what: 'the first files', timeoutMs: 150_000 })
  signalProcess(findProcess(stack, 'nats'), 'SIGSTOP')
  await rm(join(stack.dataDir, 'nats', 'jetstream'), { recursive: true })
  await killProcess(stack, 'nats')
  await uploading
  await account.expectConvergence()
})

const PAUSE_MS = 1_000

/**
 * One round of typical use: uploads a file, reads it by every route, reads lists, and creates, uses, and revokes a key.
 * Throws on an unexpected response.
 */
async function useOnce(account: FaultAccount, gatewayUrl: string): Promise<void> {
  const { identity } = account.client
  const client = createApiClient(gatewayUrl, identity, { takes503: true })
  await account.expectReadable(await account.upload(uniqueBytes()))
  for (const path of ['/api/files?limit=10', '/api/webhooks', '/api/vaults']) {
    expect([path, (await client.get(path)).status]).toEqual([path, 200])
  }
  const { id, key } = await createKey(client)
  const byKey = withToken(client, key)
  expect((await byKey.get('/api/vaults')).status).toBe(200)
  expect((await client.delete(`/api/auth/api-keys/${id}`)).status).toBe(200)
  expect((await byKey.get('/api/vaults')).status).toBe(401)
}

/** Uses the service repeatedly until `isOver` returns true. */
async function useSteadily(
  account: FaultAccount,
  gatewayUrl: string,
  isOver: (roundsSoFar: number) => boolean,
): Promise<void> {
  for (let rounds = 0; !isOver(rounds); rounds++) {
    await useOnce(account, gatewayUrl)
    await delay(PAUSE_MS)
  }
}
