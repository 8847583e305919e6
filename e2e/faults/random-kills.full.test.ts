import { setTimeout as delay } from 'node:timers/promises'
import { type Random, withSeed } from '@tideport/testing/with-seed'
import { expect, test } from 'vitest'
import { startTestStack } from '../support/start-test-stack.ts'
import { openAccount } from './support/account.ts'
import { startLoad } from './support/load.ts'
import { type StackProcess, signalProcess, type TestStack } from './support/processes.ts'

/** Each of the nine processes once, and three of them twice. */
const KILLS = 12
const MEAN_PAUSE_MS = 1000
/** Processing a file costs as much as starting a process. */
const LOAD = { clients: 4, pauseMs: 1000 }
/** Short waits, so the test takes seconds. Each upload request whose response is lost leaves an open upload. */
const env = {
  ...{ CONFIRM_WAIT_SECONDS: '5', CONFIRM_LOST_SECONDS: '20', WEBHOOK_TIMEOUT_SECONDS: '2' },
  OPEN_UPLOADS_MAX: '10000',
}

/** Kills all processes in random order at random times: Postgres, broker, store, and services. */
async function killAtRandom(stack: TestStack, random: Random): Promise<void> {
  let turns: StackProcess[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    if (turns.length === 0) turns = shuffled(stack.describe().processes, random)
    const { name, replica } = turns.pop() as StackProcess
    const victim = stack.describe().processes.find((process) => process.name === name && process.replica === replica)
    if (victim) signalProcess(victim, 'SIGKILL')
    await delay(2 * MEAN_PAUSE_MS * random())
  }
}

const shuffled = <T>(items: T[], random: Random): T[] =>
  items
    .map((item) => ({ item, order: random() }))
    .toSorted((a, b) => a.order - b.order)
    .map(({ item }) => item)

test('with every process killed repeatedly under load, confirmed files become cold with their bytes, and every event is delivered once', async () => {
  await using stack = await startTestStack({ together: [], env })
  await using account = await openAccount(stack)
  using load = startLoad(account, LOAD)
  await load.awaitProgress(5)
  await withSeed(async (random) => {
    await killAtRandom(stack, random)
    await load.awaitProgress(5)
    await load.stop()
    expect([...account.client.statuses].filter((status) => status >= 500 && status !== 503)).toEqual([])
    await account.expectConvergence()
  })
})
