import type { ServerResponse } from 'node:http'
import { cancelJob, seenJobs } from '@tideport/bulk-jobs/jobs/account-job'
import { startFrontOfStore } from '@tideport/testing/front-of-store'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, it } from 'vitest'
import { setup } from '../exports-to-buckets.ts'

/** Concurrent exports of a process, as in its `main.ts`. */
const PLACES = 4
const SLOW_PLACES = 2

it('unresponsive buckets delay no other account, regardless of their owners and number', async () => {
  await using t = await setup()
  await using front = await startFrontOfStore(t.theirs.settings)
  const hanging = new Set<ServerResponse>()
  front.answerBy(({ method, url = '' }, response) => {
    if (method !== 'PUT' || !url.includes('manifest-000002')) return false
    hanging.add(response)
    response.on('close', () => hanging.delete(response))
    return true
  })
  const ask = (accountId: string) => t.ask(front.settings.endpoint, accountId)
  const hostile = await Promise.all(Array.from({ length: PLACES }, async () => ask(await t.anotherAccount())))
  await using _worker = await t.start()
  await waitFor(() => hanging.size === PLACES, { what: 'all places to be taken' })
  // An account that cancels a slow job and starts another one is still slow.
  const [again] = await t.database.sql<{ id: string; account_id: string }>(
    `select id, account_id from account_job where state = 'running' limit 1`,
  )
  await cancelJob(t.db, again?.id ?? '', seenJobs(again?.account_id ?? '', { vaultIds: null }), {
    auditRetentionSeconds: 60,
  })
  expect(await ask(again?.account_id ?? '')).toMatchObject({ state: 'queued', isSlow: true })

  await t.hotFile('bytes')
  const good = await t.ask()
  await t.over(good.id)
  expect(await t.job(good.id)).toMatchObject({ state: 'done', done: '1', is_slow: true })
  // From now on, slow exports use only their own places.
  const known = async () => {
    const jobs = await Promise.all(hostile.filter(({ id }) => id !== again?.id).map(({ id }) => t.job(id)))
    return jobs.every(({ is_slow: isSlow, attempt }) => isSlow && attempt > 0)
  }
  await waitFor(known, { what: 'all of them to be known as slow' })
  await waitFor(() => hanging.size === SLOW_PLACES, { what: 'the places of the slow ones to be taken' })
  const before = [...hanging]
  const next = await t.ask()
  await t.over(next.id)
  expect(await t.job(next.id)).toMatchObject({ state: 'done', done: '1' })
  expect([...hanging]).toEqual(before)
})
