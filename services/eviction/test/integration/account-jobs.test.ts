import { randomUUID } from 'node:crypto'
import { cancelJob, createJob, seenJobs } from '@tideport/bulk-jobs/jobs/account-job'
import type { JobKind } from '@tideport/contracts/public/jobs'
import { must } from '@tideport/file-lifecycle/testing/bundle'
import { setupEviction } from '@tideport/file-lifecycle/testing/evict-bundle'
import { withProcesses } from '@tideport/file-lifecycle/testing/processes'
import { isFullRun } from '@tideport/testing/full-run'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { expect, it } from 'vitest'

const main = new URL('../../src/main.ts', import.meta.url)
const FILES = 1201

async function setup() {
  const t = await withProcesses(main, await setupEviction(), { env: { SETTLE_SECONDS: '1' } })
  const ask = (kind: JobKind, request: object, more: { vaultId?: null; toVaultId?: string } = {}) =>
    t.db.transaction().execute(async (trx) =>
      must(
        await createJob(trx, {
          ...{
            id: randomUUID(),
            accountId: t.accountId,
            kind,
            vaultId: t.vaultId,
            toVaultId: null,
            request,
            openMax: 9,
            ...more,
          },
        }),
      ),
    )
  const count = async (where: string) =>
    Number((await t.database.sql(`select count(*) from file where vault_id = $1 and ${where}`, [t.vaultId]))[0]?.count)
  return {
    ...t,
    ask,
    count,
    async startOver() {
      await t.startOver()
      await t.database.sql(
        `insert into file (id, account_id, vault_id, folder, name, mime_type, size_bytes, status, upload_key, upload_expires_at, confirmed_at)
         select gen_random_uuid(), $1, $2, 'a/' || n % 7 || '/', 'n' || n, 'a/b', 1, 'cold', 'k', now(), now() from generate_series(1, ${FILES}) as n`,
        [t.accountId, t.vaultId],
      )
      await t.database.sql('update vault set file_count = $1, storage_bytes = $1 where id = $2', [FILES, t.vaultId])
    },
    job: async (id: string) => must((await t.database.sql('select * from account_job where id = $1', [id]))[0]),
    isOver: (id: string) =>
      waitFor(
        async () => (await t.database.sql('select from account_job where id = $1 and due_at is null', [id])).length > 0,
        { what: 'the job to be over' },
      ),
  }
}

const t = setUpOnce(setup)

it('jobs continue in order after kill -9, with two processes, and process each file once', async () => {
  const first = await t.ask('move', { prefix: 'a/', to: 'b/', onConflict: 'keep' })
  const second = await t.ask('move', { prefix: 'b/', to: 'c/', onConflict: 'keep' })
  for (const [index, point] of ['many.before-advance', 'many.before-commit'].entries()) {
    await t.failpoints.kill(point)
    await using killed = await t.start()
    expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' })
    const moved = await t.count(`path like 'b/%'`)
    // Batches are atomic: the killed process committed complete batches or none.
    expect([index, await t.count(`path like 'a/%'`)]).toEqual([index, FILES - moved])
    expect(Number((await t.job(first.id)).done)).toBe(moved)
    await t.database.sql('update account_job set claimed_until = now()')
  }
  const both = { PERIODIC_TASK_PROCESSES: '2' }
  await using _one = await t.start(both)
  await using _two = await t.start(both)
  await t.isOver(second.id)
  const jobs = [await t.job(first.id), await t.job(second.id)]
  expect(jobs).toMatchObject(Array(2).fill({ state: 'done', done: String(FILES), failed: '0' }))
  expect(await t.count(`path like 'c/%'`)).toBe(FILES)
  const [told] = await t.database.sql(
    `select count(*)::int as events, count(distinct subject_id)::int as files from event where type = 'file.changed'`,
  )
  expect(told).toEqual({ events: 2 * FILES, files: FILES })
  const third = await t.ask('trash', { prefix: 'c/' })
  await t.isOver(third.id)
  expect(await t.database.sql('select file_count, storage_bytes from vault where id = $1', [t.vaultId])).toEqual([
    { file_count: '0', storage_bytes: '0' },
  ])
})

it('a job that is cancelled during a batch changes nothing after the response', async () => {
  const job = await t.ask('trash', { prefix: 'a/' })
  await t.failpoints.pause('many.before-advance')
  await using _worker = await t.start()
  await waitFor(async () => (await t.job(job.id)).state === 'running', { what: 'the job to be running' })
  expect(
    await cancelJob(t.db, job.id, seenJobs(t.accountId, { vaultIds: null }), { auditRetentionSeconds: 60 }),
  ).toMatchObject({
    state: 'cancelled',
    done: 0,
  })
  await t.failpoints.release('many.before-advance')
  const next = await t.ask('move', { prefix: 'a/', to: 'b/', onConflict: 'keep' })
  await t.isOver(next.id)
  expect(await t.count('deleted_at is not null')).toBe(0)
  expect(await t.job(job.id)).toMatchObject({ state: 'cancelled', done: '0' })
})

it.runIf(isFullRun)('a copy job continues after kill -9 and copies each file once', async () => {
  await t.database.sql('delete from file where vault_id = $1', [t.vaultId])
  const sources = await Promise.all(Array.from({ length: 10 }, (_, n) => t.hotFile(`file ${n}`)))
  const request = { ids: sources.map(({ id }) => id), to: 'b/', onConflict: 'keep', quotaBytes: 0, openUploadsMax: 100 }
  const job = await t.ask('copy', request)
  for (const point of ['copy.before-confirm', 'many.before-commit']) {
    await t.failpoints.kill(point)
    await using killed = await t.start()
    expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' })
    expect(await t.count(`folder = 'b/' and status <> 'uploading'`)).toBe(0)
    await t.database.sql('update account_job set claimed_until = now()')
  }
  await using _worker = await t.start()
  await t.isOver(job.id)
  expect(await t.job(job.id)).toMatchObject({ state: 'done', done: '10', failed: '0' })
  expect(await t.count(`folder = 'b/' and status <> 'uploading'`)).toBe(10)
  // The unfinished copies of the killed processes no longer use the quota.
  expect(await t.count(`folder = 'b/' and status = 'uploading' and purging_at is null`)).toBe(0)
})

it.runIf(isFullRun)('an export continues after kill -9 and contains each file once', async () => {
  await t.database.sql('delete from file where vault_id = $1', [t.vaultId])
  const large = 'large '.repeat(400_000)
  const sources = await Promise.all(['one', large, 'two'].map((bytes) => t.hotFile(bytes)))
  const toVaultId = randomUUID()
  await t.database.sql(
    `insert into vault (id, account_id, name, visibility, slug, is_export) values ($1, $2, 'export', 'private', 'export', true)`,
    [toVaultId, t.accountId],
  )
  const request = { partBytes: 1024 ** 2, quotaBytes: 0, openUploadsMax: 100 }
  const job = await t.ask('export', request, { vaultId: null, toVaultId })
  const left = async (where: string) =>
    await t.database.sql<{ name: string }>(
      `select name from file where vault_id = $1 and purging_at is null and ${where} order by name`,
      [toVaultId],
    )
  for (const point of ['export.before-commit', 'export.part-written', 'many.before-commit', 'export.file-goes-on']) {
    await t.failpoints.kill(point)
    await using killed = await t.start()
    expect(await killed.ended).toMatchObject({ signal: 'SIGKILL' })
    expect(await left(`status = 'uploading'`)).not.toEqual([])
    await t.database.sql('update account_job set claimed_until = now()')
  }
  await using _worker = await t.start()
  await t.isOver(job.id)
  expect(await t.job(job.id)).toMatchObject({ state: 'done', done: '3', failed: '0' })
  expect(await left(`status = 'uploading'`)).toEqual([])
  const names = (await left('true')).map(({ name }) => name)
  expect(names).toEqual([...new Set(names)])
  const told: string[] = []
  for (const { name } of await left(`name like 'manifest-%'`)) {
    // A killed process may have left another file with this name that is still being purged.
    const [row] = await t.database.sql<{ hot_key: string }>(
      'select hot_key from file where vault_id = $1 and name = $2 and purging_at is null',
      [toVaultId, name],
    )
    const bytes = must(await t.hotTier.open(must(row).hot_key, undefined, new AbortController().signal))
    told.push(...(await bytes.toArray()).join('').trimEnd().split('\n'))
  }
  const files = told.map((line) => JSON.parse(line)).filter(({ type }) => type === 'file')
  expect(files.map(({ id }) => id).toSorted()).toEqual(sources.map(({ id }) => id).toSorted())
  expect(files.find(({ sizeBytes }) => sizeBytes === large.length)?.parts).toHaveLength(3)
})
