import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect } from '@nats-io/transport-node'
import { waitFor } from '@tideport/testing/wait-for'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestStack } from '../support/start-test-stack.ts'
import { uniqueBytes } from '../support/uploads.ts'
import { openAccount } from './support/account.ts'
import { findProcess, killProcess, signalProcess, type TestStack } from './support/processes.ts'
import { useSteadily } from './support/steady-use.ts'

/** Requests time out, and the clients, who ping every 5 s, give their connection up and look for another. */
const STANDSTILL_MS = 20_000
/** Of use, at least. */
const ROUNDS = 6

const parts = new AsyncDisposableStack()
let stack: TestStack

beforeAll(async () => {
  stack = parts.use(await startTestStack())
})

afterAll(() => parts.disposeAsync())

/** Waits until both streams are there and deletes them. */
async function deleteAllStreams(): Promise<void> {
  const connection = await connect({ servers: stack.describe().natsUrl })
  try {
    const { streams } = await jetstreamManager(connection)
    const present = async () => (await streams.names().next()).toSorted().join() === 'EVENTS,JOBS'
    await waitFor(present, { what: 'both streams' })
    for (const name of ['EVENTS', 'JOBS']) await streams.delete(name)
  } finally {
    await connection.close()
  }
}

/** As many as each of five clients uploads one after the other. */
const FILES_OF_EACH = 4

test('all streams are deleted while files are in flight: nothing is lost, nothing is told twice', async () => {
  await using account = await openAccount(stack)
  const uploading = Promise.all(
    Array.from({ length: 5 }, async () => {
      for (let n = 0; n < FILES_OF_EACH; n++) await account.upload(uniqueBytes())
    }),
  )
  await waitFor(() => account.confirmed.length >= 6, { what: 'the first files', timeoutMs: 150_000 })
  await deleteAllStreams()
  await uploading
  expect(account.confirmed).toHaveLength(5 * FILES_OF_EACH)
  await deleteAllStreams()
  await account.expectConvergence()
})

test('a broker that stands still for 20 seconds changes nothing for clients; afterwards each event arrives once', async () => {
  await using account = await openAccount(stack)
  const gatewayUrl = stack.describe().gatewayUrls[0] as string
  const broker = findProcess(stack, 'nats')
  signalProcess(broker, 'SIGSTOP')
  const stoppedAt = performance.now()
  try {
    // Before the clients look for another broker, and while they do.
    const isOver = (rounds: number) => rounds >= ROUNDS && performance.now() - stoppedAt >= STANDSTILL_MS
    await useSteadily(account, gatewayUrl, isOver)
  } finally {
    signalProcess(broker, 'SIGCONT')
  }
  expect([...account.client.statuses].filter((status) => status >= 500)).toEqual([])
  await account.expectConvergence()
})

test('while the broker is killed again and again uploads and reads go on; afterwards the events arrive', async () => {
  await using account = await openAccount(stack)
  for (let n = 0; n < 3; n++) {
    const killed = killProcess(stack, 'nats')
    await account.expectReadable(await account.upload(uniqueBytes()))
    await killed
  }
  expect([...account.client.statuses].filter((status) => status >= 500)).toEqual([])
  await account.expectConvergence()
})

test('the broker loses its disk and comes back empty while files are in flight: nothing is lost, nothing is told twice', async () => {
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
