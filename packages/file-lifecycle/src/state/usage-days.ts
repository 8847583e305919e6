import { type Kysely, sql } from 'kysely'
import { networksOf } from './record-usage.ts'
import type { FilesDb } from './tables.ts'
import { utcToday } from './utc-today.ts'

/** Days in UTC, as `2026-01-31`, both included. */
export interface Days {
  from: string
  to: string
}

export interface VaultDay {
  day: string
  fileCount: number
  storageBytes: number
}

export interface AccountDay extends VaultDay {
  hotBytes: number
  /** Since the day before that is there. */
  addedFiles: number
  addedBytes: number
  networks: { network: string; copies: number; billedBytes: number }[]
}

/** What an account had at the end of each of these days that is kept, and has now, oldest first. */
export async function readAccountDays(
  db: Kysely<FilesDb>,
  accountId: string,
  { from, to }: Days,
  today = utcToday,
): Promise<AccountDay[]> {
  const { rows } = await sql<AccountDay>`
    with kept as (
      select day, file_count, storage_bytes, hot_bytes, files_added, bytes_added, networks from usage_day
      where account_id = ${accountId} and day < ${today} and day >= coalesce(
        (select max(day) from usage_day where account_id = ${accountId} and day < ${from}::date), ${from}::date)
        and day <= ${to}::date
      union all
      select ${today}, file_count, storage_bytes, hot_bytes, files_added, bytes_added, ${networksOf(sql`account.id`)}
      from account where id = ${accountId} and ${today} between ${from}::date and ${to}::date
    ), compared as (
      select *, lag(files_added, 1, 0) over by_day as files_before, lag(bytes_added, 1, 0) over by_day as bytes_before
      from kept window by_day as (order by day)
    )
    select day::text, file_count, storage_bytes, hot_bytes, files_added - files_before as added_files,
      bytes_added - bytes_before as added_bytes, networks
    from compared where day >= ${from}::date order by compared.day`.execute(db)
  return rows
}

/** The same of a vault; without what is in its trash. */
export async function readVaultDays(
  db: Kysely<FilesDb>,
  vaultId: string,
  { from, to }: Days,
  today = utcToday,
): Promise<VaultDay[]> {
  const { rows } = await sql<VaultDay>`
    select day::text, file_count, storage_bytes from (
      select day, file_count, storage_bytes from vault_usage_day
      where vault_id = ${vaultId} and day < ${today} and day between ${from}::date and ${to}::date
      union all
      select ${today}, file_count, storage_bytes from vault
      where id = ${vaultId} and ${today} between ${from}::date and ${to}::date
    ) as kept order by kept.day`.execute(db)
  return rows
}
