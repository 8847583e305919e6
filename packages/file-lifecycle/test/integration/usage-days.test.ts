import { setUpOnce } from '@tideport/testing/set-up-once'
import { sql } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { beforeEach, expect, it } from 'vitest'
import { deleteExpiredRows } from '../../src/removal/delete-expired-rows.ts'
import { readAccountDays, readVaultDays, recordUsage } from '../../src/state/usage-days.ts'
import { setupPurging } from '../purging.ts'

const t = setUpOnce(setupPurging)

const MS_PER_DAY = 86_400_000
/** Long after everything that these tests store. */
let todayMs: number
beforeEach(() => {
  todayMs = Date.UTC(2100, 0, 1)
})

const letDaysPass = (days: number) => {
  todayMs += days * MS_PER_DAY
}
const daysAgo = (days: number) => new Date(todayMs - days * MS_PER_DAY).toISOString().slice(0, 10)
const lastMonth = () => ({ from: daysAgo(29), to: daysAgo(0) })
const today = () => sql`${daysAgo(0)}::date`

/** Repeats until nothing is left, as the worker does. */
async function record() {
  while (await recordUsage({ db: t.db, today: today() }));
}

it('a past day shows its last state, and today the current one', async () => {
  const read = () => readAccountDays(t.db, t.accountId, lastMonth(), today())
  await record()
  await t.syncedFile('hello')
  const first = { fileCount: 1, storageBytes: 5, addedFiles: 1, addedBytes: 5 }
  const networks = [{ network: 'embedded', copies: 1, billedBytes: 5 }]
  expect(await read()).toEqual([{ ...first, day: daysAgo(0), hotBytes: 5, networks }])
  letDaysPass(1)
  await record()
  const file = await t.hotFile('bytes of today')
  const second = { fileCount: 2, storageBytes: 19, addedFiles: 1, addedBytes: 14 }
  const told = [
    { ...first, day: daysAgo(1), networks },
    { ...second, day: daysAgo(0) },
  ]
  expect(await read()).toMatchObject(told)
  expect(await readVaultDays(t.db, file.vaultId, lastMonth(), today())).toEqual(
    told.map(({ day, fileCount, storageBytes }) => ({ day, fileCount, storageBytes })),
  )
  await record()
  expect(await read()).toMatchObject(told)
})

it('after days without a worker, the last day is recorded with everything that was added since', async () => {
  await t.hotFile('hello')
  letDaysPass(1)
  await record()
  await t.hotFile('more')
  letDaysPass(3)
  await record()
  const kept = await readAccountDays(t.db, t.accountId, lastMonth(), today())
  expect(kept.map(({ day, addedBytes }) => [day, addedBytes])).toEqual([
    [daysAgo(4), 5],
    [daysAgo(1), 4],
    [daysAgo(0), 0],
  ])
  // The query also reads the day before the first one.
  expect(await readAccountDays(t.db, t.accountId, { from: daysAgo(3), to: daysAgo(1) }, today())).toMatchObject([
    { day: daysAgo(1), addedBytes: 4 },
  ])
})

it('two processes record each account once, in batches, except accounts from today or without files', async () => {
  const ids = Array.from({ length: 1203 }, () => uuidv7())
  const addAccounts = (some: readonly string[], files: number, age: number) =>
    t.database.sql(
      `insert into account (id, files_added, created_at)
       select id, $2, $3::timestamp at time zone 'utc' from unnest($1::uuid[]) as id`,
      [some, files, daysAgo(age)],
    )
  await addAccounts(ids, 7, 2)
  await addAccounts([uuidv7()], 7, 0)
  await addAccounts([uuidv7()], 0, 2)
  const recordOnce = () => recordUsage({ ...t, today: today() })
  const more = await Promise.all([recordOnce(), recordOnce()])
  expect(more).toContain(true)
  await Promise.all([record(), record()])
  await record()
  const rows = await t.database.sql(`select account_id, day::text from usage_day order by account_id`)
  expect(rows).toEqual(ids.toSorted().map((id) => ({ account_id: id, day: daysAgo(1) })))
  expect(await recordOnce()).toBe(false)
})

it('days are deleted after 400 days, and those of a vault with it', async () => {
  const { vaultId } = await t.hotFile('hello')
  letDaysPass(1)
  await record()
  letDaysPass(399)
  const forget = () =>
    deleteExpiredRows({ ...t, accountJobRetentionSeconds: 60, auditRetentionSeconds: 60, today: today() })
  const kept = async () => [
    await t.database.sql('select from usage_day'),
    await t.database.sql('select from vault_usage_day'),
  ]
  await forget()
  expect((await kept()).map(({ length }) => length)).toEqual([1, 1])
  letDaysPass(1)
  await forget()
  expect((await kept()).map(({ length }) => length)).toEqual([0, 0])
  await record()
  expect(await readVaultDays(t.db, vaultId, lastMonth(), today())).toHaveLength(2)
})
