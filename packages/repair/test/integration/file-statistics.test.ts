import { markCopyFailed, markStored } from '@tideport/file-lifecycle/state/copy-transitions'
import { observeTransitions } from '@tideport/file-lifecycle/state/state'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { log, must, names, setup } from '@tideport/file-lifecycle/testing/bundle'
import { claimFor } from '@tideport/file-lifecycle/work/claim-step'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { readStatistics, takeStatistics } from '../../src/statistics/file-statistics.ts'
import { showStatistics } from '../../src/statistics/show-statistics.ts'

const t = setUpOnce(openStatistics)

async function openStatistics() {
  const t = await setup()
  const become = (id: string, sets: string) => t.database.sql(`update file set ${sets} where id = $1`, [id])
  const makeDue = () => t.database.sql('update turn set held_until = now()')
  const take = async () => {
    await makeDue()
    await takeStatistics(t.db, names, log)
    return (await readStatistics(t.db)).figures
  }
  const cold = `status = 'cold', sha256 = 'ab', synced_at = now(), evicted_at = now(), hot_key = null`
  return { ...t, become, makeDue, take, cold, [Symbol.asyncDispose]: () => t[Symbol.asyncDispose]() }
}

const health = { tell: () => {} }

describe('the statistics of all files', () => {
  it('count files by status without the trash, with the oldest file of each status and the hot bytes', async () => {
    await t.begin(7)
    const [hot, second, third] = [await t.hotFile('hello'), await t.hotFile('world'), await t.hotFile('again')]
    await t.become(hot.id, `confirmed_at = now() - interval '20 minutes'`)
    await t.become(second.id, t.cold)
    const thrownAway = await t.hotFile('trash')
    await t.become(thrownAway.id, `deleted_at = now(), confirmed_at = now() - interval '9 hours'`)
    await t.database.sql('update vault set file_count = file_count - 1')
    await t.become(third.id, `status = 'error', errored_at = now() - interval '5 minutes'`)

    const { files, oldestSeconds, hotBytes } = await t.take()
    expect(files).toEqual({ uploading: 1, hot: 1, synced: 0, cold: 1, error: 1 })
    expect(must(oldestSeconds).hot).toBeCloseTo(1200, -1.5)
    expect(must(oldestSeconds).error).toBeCloseTo(300, -1.5)
    expect(must(oldestSeconds).synced).toBe(0)
    expect(hotBytes).toBe(20)
  })

  it('are not replaced by older results of a paused process', async () => {
    let taken: Promise<unknown> | undefined
    const stopped = {
      ...names,
      get order() {
        taken ??= t.database.sql(`
          with other as (update turn set holder = gen_random_uuid())
          update file_statistics set figures = '{"hotBytes": 7}', taken_at = now()`)
        return names.order
      },
    }
    await takeStatistics(t.db, stopped, log)
    await taken
    expect((await readStatistics(t.db)).figures).toEqual({ hotBytes: 7 })
  })

  it('find rows that violate an invariant, unfinished claims, due work, and unpublished events', async () => {
    const [first, second] = [await t.hotFile(), await t.hotFile('world')]
    expect((await t.take()).violations).toEqual({ no_checksum: 0, no_hot_copy: 0 })
    await t.become(first.id, t.cold)
    await t.become(first.id, 'sha256 = null')
    await t.database.sql(`update copy set due_at = null where file_id = $1`, [first.id])
    await t.database.sql(
      `update copy set unfinished_claims = 12, due_at = now() - interval '10 minutes' where file_id = $1`,
      [second.id],
    )
    await t.database.sql(`update event set at = now() - interval '7 minutes' where subject_id = $1`, [second.id])

    const figures = await t.take()
    expect(figures.violations).toEqual({ no_checksum: 1, no_hot_copy: 0 })
    expect(figures.unfinishedClaimsMax).toBe(12)
    expect(must(figures.dueSeconds)['store-embedded']).toBeCloseTo(600, -1.5)
    expect(figures.eventsUnpublished).toBe(2)
    expect(figures.eventsUnpublishedOldestSeconds).toBeCloseTo(420, -1.5)
  })

  it('count only the copies on networks that are leaving or not configured', async () => {
    const [file, other] = [await t.hotFile(), await t.hotFile()]
    const insert = (id: string, network: string, state: string) =>
      t.database.sql(`insert into copy (file_id, network, reference, state) values ($1, $2, 'r', $3)`, [
        ...[id, network, state],
      ])
    for (const { id } of [file, other]) await insert(id, 'old', 'proved')
    await insert(file.id, 'gone', 'dropping')
    await insert(other.id, 'gone', 'dropped')
    expect((await t.take()).copiesLeft).toEqual({ old: 2, gone: 1 })
  })

  it('count account jobs by kind, and only unclaimed jobs without a predecessor as late', async () => {
    const lanes = { first: crypto.randomUUID(), second: crypto.randomUUID() }
    const insert = (kind: string, lane: string, more: string) =>
      t.database.sql(
        `insert into account_job (id, account_id, kind, lane, request, request_id, traceparent, created_at, due_at, claimed_until)
         values (gen_random_uuid(), $1, $2, $3, '{}', 'r', 't', now() - interval '1 hour', ${more})`,
        [t.accountId, kind, lane],
      )
    const minutesAgo = (minutes: number) => `now() - interval '${minutes} minutes'`
    await insert('move', lanes.first, `${minutesAgo(20)}, null`)
    await insert('copy', lanes.first, `${minutesAgo(50)}, null`)
    await insert('export', lanes.second, `${minutesAgo(30)}, now() + interval '1 minute'`)
    await insert('trash', crypto.randomUUID(), `now() + interval '1 minute', null`)
    await insert('delete', crypto.randomUUID(), 'null, null')

    const jobs = must((await t.take()).jobs)
    const told = Object.entries(jobs).map(([kind, { open, dueSeconds }]) => [kind, [open, Math.round(dueSeconds / 60)]])
    expect(Object.fromEntries(told)).toMatchObject({
      ...{ move: [1, 20], copy: [1, 0], trash: [1, 0], restore: [0, 0], delete: [0, 0], export: [1, 0] },
    })
    expect(jobs.export.oldestSeconds).toBeCloseTo(3600, -1.5)
    const metrics = createMetrics('test')
    showStatistics(t.db, names, { metrics, log, health })
    const { text } = await metrics.render()
    expect(text).toMatch(/tideport_account_jobs\{kind="move"[^}]*\} 1\n/)
    expect(text).toMatch(/tideport_account_jobs_due_age_seconds\{kind="move"[^}]*\} 12\d\d/)
  })

  it('are collected by one process at a time, and only when they are due', async () => {
    const takenAt = async () => (await t.database.sql('select taken_at from file_statistics'))[0]?.taken_at
    await Promise.all(Array.from({ length: 6 }, () => takeStatistics(t.db, names, log)))
    const first = await takenAt()
    await takeStatistics(t.db, names, log)
    expect(await takenAt()).toEqual(first)
    expect((await readStatistics(t.db)).isDue).toBe(false)
  })

  it('are hidden when no process has collected them for ten minutes', async () => {
    const metrics = createMetrics('test')
    showStatistics(t.db, names, { metrics, log, health })
    const isShown = async () => /tideport_files\{status="hot"[^}]*\} 0/.test((await metrics.render()).text)
    await waitFor(isShown, { what: 'figures that are taken now' })

    await t.take()
    await t.database.sql(`update file_statistics set taken_at = now() - interval '11 minutes'`)
    await t.database.sql(`update turn set held_until = now() + interval '1 hour'`)
    const others = createMetrics('test')
    showStatistics(t.db, names, { metrics: others, log, health })
    expect((await others.render()).text).not.toMatch(/^tideport_(files|hot_bytes|oldest_file_age_seconds)\{/m)
  })

  it('use the indexes of files that are not cold and of rows that violate an invariant', async () => {
    await using t = await setup()
    // Filters by this database, because all tests use the same role.
    const database = new URL(t.database.url).pathname.slice(1)
    await t.database.sql(`alter role current_user in database ${database} set enable_seqscan = off`)
    {
      await using db = t.database.open<FilesDb>({ log, poolSize: 1 })
      await takeStatistics(db, names, log)
    }
    const used = () => t.database.sql('select indexrelname as name from pg_stat_user_indexes where idx_scan > 0')
    await waitFor(
      async () => {
        const names = (await used()).map(({ name }) => name)
        return names.includes('file_before_cold') && names.includes('file_broken')
      },
      { what: 'both indexes to be used' },
    )
  })
})

it('each process counts its own status changes and sync durations', async () => {
  const metrics = createMetrics('test')
  observeTransitions(t.db, metrics)
  const file = await t.hotFile('hello')
  const other = await t.hotFile('world')
  const stored = { blobId: 'bafk', sha256: 'ab', billedBytes: 5, leaseExpiresAt: null, hotRetentionSeconds: 60 }
  const claim = async ({ id }: { id: string }) =>
    must(await claimFor(t.writes, { fileId: id, network: 'embedded' }, 'store'))
  const claimed = await claim(file)
  must(await markStored(t.writes, claimed, names, stored))
  expect(await markStored(t.writes, claimed, names, stored)).toBeNull()
  must(await markCopyFailed(t.db, await claim(other), names, 'sync_failed'))
  const { text } = await metrics.render()
  const read = (series: string) =>
    Number(
      text
        .split('\n')
        .find((line) => line.startsWith(series))
        ?.split(' ')[1],
    )
  expect(read('tideport_file_transitions_total{from="uploading",to="hot"')).toBe(2)
  expect(read('tideport_file_transitions_total{from="hot",to="synced"')).toBe(1)
  expect(read('tideport_file_transitions_total{from="hot",to="error"')).toBe(1)
  expect(read('tideport_file_transitions_total{from="synced",to="cold"')).toBe(0)
  expect(read('tideport_sync_bytes_total')).toBe(5)
  expect(read('tideport_confirm_to_synced_seconds_count')).toBe(1)
})
