import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { waitFor } from '@tideport/testing/wait-for'
import { type Random, withSeed } from '@tideport/testing/with-seed'
import { expect, test } from 'vitest'
import { killProcess, type TestStack } from '../faults/support/processes.ts'
import { startPrograms } from '../faults/support/random-program.ts'
import type { ApiClient } from '../support/api-client.ts'
import { brokenFiles, filesThere, wrongCounters, wrongHistories } from '../support/database.ts'
import { fetchBytes, publicFileUrl } from '../support/reading.ts'
import { startTestStack } from '../support/start-test-stack.ts'

const OPERATIONS = 2000
const CLIENTS = 16
const MEAN_PAUSE_MS = 3000
/** Beside three busy loops, on two cores, it took 253 s. */
const TIMEOUT_MS = 1_500_000

/**
 * Whoever writes rows of files, one after the other, until the work is over. Each runs again before the next pause: on a
 * busy machine most would otherwise be dead most of the time, and the work would never be over.
 */
async function killWhile(work: Promise<void>, stack: TestStack, random: Random): Promise<void> {
  let isOver = false
  const end = work.finally(() => {
    isOver = true
  })
  while (!isOver) {
    await Promise.race([delay(2 * MEAN_PAUSE_MS * random()), end])
    if (isOver) break
    const name = (['files', 'sync', 'eviction'] as const)[Math.floor(random() * 3)]
    if (name) await Promise.race([killProcess(stack, name), end])
  }
  await end
}

/** Of a copy nobody remembers what was stored, but its row does. */
async function expectBytes(client: ApiClient, { id, sha256 }: { id: string; sha256: string | null }, stored?: string) {
  const { status, bytes } = await fetchBytes(publicFileUrl(client, id))
  const text = bytes.toString()
  const found = createHash('sha256').update(bytes).digest('hex')
  expect({ id, status, text, found }).toEqual({ id, status: 200, text: stored ?? text, found: sha256 ?? found })
}

test('whatever is done to few paths at once, by files, jobs and clocks, while processes are killed with -9: no file and no byte is lost, counters and events are right', {
  timeout: TIMEOUT_MS,
}, async () => {
  await using stack = await startTestStack({
    env: { ACCOUNT_JOBS_MAX: '100', RATE_LIMIT_PER_SECOND: '0', RATE_LIMIT_ANONYMOUS_PER_SECOND: '0' },
  })
  const described = () => stack.describe()
  await withSeed(async (random) => {
    const programs = await startPrograms(described().gatewayUrls[0] as string, random)
    const { client, stored, outcomes, vaultIds } = programs
    await killWhile(programs.run(OPERATIONS, CLIENTS), stack, random)
    await programs.reopenAll()

    const open = async () =>
      (await client.get<{ jobs: { finishedAt: string | null }[] }>('/api/jobs?limit=100')).body.jobs
    await waitFor(async () => (await open()).every(({ finishedAt }) => finishedAt !== null), {
      what: 'all jobs to be over',
    })
    const answered = [...outcomes].map(([what, statuses]) => ({ what, statuses: [...statuses] }))
    expect(answered.filter(({ statuses }) => statuses.some((status) => status >= 500 && status !== 503))).toEqual([])
    expect(answered.filter(({ statuses }) => !statuses.some((status) => status < 300))).toEqual([])
    expect(await wrongCounters(described())).toEqual([])
    expect(await brokenFiles(described())).toEqual([])
    const ids = [...stored.keys()]
    await waitFor(async () => (await wrongHistories(described(), ids)).length === 0, {
      what: 'histories to be right',
    }).catch(async (cause) => {
      throw new Error(JSON.stringify((await wrongHistories(described(), ids)).slice(0, 5)), { cause })
    })
    const there = (await Promise.all(vaultIds.map((vaultId) => filesThere(described(), vaultId)))).flat()
    const check = async () => {
      for (let file = there.pop(); file !== undefined; file = there.pop())
        await expectBytes(client, file, stored.get(file.id))
    }
    await Promise.all(Array.from({ length: CLIENTS }, check))
  })
})
