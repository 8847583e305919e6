import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { FilesDb } from './tables.ts'

/** The day (UTC) of Postgres's clock when the transaction began. */
export const utcToday = sql`(now() at time zone 'utc')::date`

/** As `2026-01-31`, in UTC, inclusive. */
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
  /** Since the previous recorded day. */
  addedFiles: number
  addedBytes: number
  networks: { network: string; copies: number; billedBytes: number }[]
}

/** What an account had at the end of each recorded day, and has now, oldest first. */
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

/** The same for a vault, without its trash. */
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

/** As JSON, in the shape of the API. */
export function networksOf(accountId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select coalesce(jsonb_agg(
    jsonb_build_object('network', network, 'copies', copies, 'billedBytes', bytes) order by network), '[]')
  from (${networkUsageOf(accountId)}) as billed)`
}

export interface NetworkUsage {
  network: string
  copies: number
  bytes: number
}

/** Rows of `network`, `copies`, and `bytes`. */
export function networkUsageOf(accountId: RawBuilder<unknown>): RawBuilder<NetworkUsage> {
  return sql<NetworkUsage>`
    select network, sum(copies)::bigint as copies, sum(bytes)::bigint as bytes
    from (
      select network, copies, bytes from network_usage where account_id = ${accountId}
      union all select network, copies, bytes from network_usage_change where account_id = ${accountId}
    ) as every
    group by network having sum(copies) <> 0`
}

export async function readNetworkUsage(db: Kysely<FilesDb>, accountId: string): Promise<NetworkUsage[]> {
  const { rows } = await sql<NetworkUsage>`${networkUsageOf(sql`${accountId}`)} order by network`.execute(db)
  return rows
}
