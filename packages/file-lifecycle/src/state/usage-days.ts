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
function networksOf(accountId: RawBuilder<unknown>): RawBuilder<unknown> {
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

const CHANGES = 5000

/**
 * Adds a batch of changes to the sums of accounts and networks. One process at a time. Returns whether more may remain.
 */
export async function foldUsage({ db }: { db: Kysely<FilesDb> }): Promise<boolean> {
  const { rows } = await sql<{ folded: number }>`
    with turn as materialized (
      select pg_try_advisory_xact_lock(hashtext('fold network usage')) as is_ours
    ), taken as (
      delete from network_usage_change where ctid = any (array(
        select ctid from network_usage_change where (select is_ours from turn) limit ${CHANGES}))
      returning account_id, network, copies, bytes
    ), summed as (
      insert into network_usage (account_id, network, copies, bytes)
      select account_id, network, sum(copies), sum(bytes) from taken group by account_id, network
      on conflict (account_id, network)
      do update set copies = network_usage.copies + excluded.copies, bytes = network_usage.bytes + excluded.bytes
    )
    select count(*) as folded from taken`.execute(db)
  return (rows[0]?.folded ?? 0) === CHANGES
}

const BATCH = 500

type Subject = 'account' | 'vault'

interface UsageDeps {
  db: Kysely<FilesDb>
  today?: RawBuilder<unknown>
}

/**
 * Records what a batch of accounts and a batch of vaults had at the end of the last day (UTC). One process at a time; a
 * day without a run has no rows. Returns whether more rows remain.
 */
export async function recordUsage({ db, today = utcToday }: UsageDeps): Promise<boolean> {
  const accounts = await recordBatch(
    { db, today },
    'account',
    sql`insert into usage_day
      (account_id, day, file_count, storage_bytes, hot_bytes, files_added, bytes_added, networks)
    select id, day, file_count, storage_bytes, hot_bytes, files_added, bytes_added, ${networksOf(sql`batch.id`)}
    from batch where files_added > 0`,
  )
  const vaults = await recordBatch(
    { db, today },
    'vault',
    sql`insert into vault_usage_day (vault_id, day, file_count, storage_bytes)
    select id, day, file_count, storage_bytes from batch where file_count > 0`,
  )
  return accounts || vaults
}

/** Writes the batch and the progress together; a second process finds the row locked and leaves. */
async function recordBatch(
  { db, today }: Required<UsageDeps>,
  subject: Subject,
  insert: RawBuilder<unknown>,
): Promise<boolean> {
  const { rows } = await sql<{ hasMore: boolean }>`
    with ended as materialized (
      select ${today} - 1 as day
    ), place as materialized (
      select ended.day, case when usage_walk.day = ended.day then after end as after
      from usage_walk, ended where subject = ${subject} and (usage_walk.day < ended.day or after is not null)
      for update of usage_walk skip locked
    ), batch as materialized (
      select found.*, place.day from place cross join lateral (
        select * from ${sql.table(subject)}
        where id > coalesce(place.after, '00000000-0000-0000-0000-000000000000') order by id limit ${BATCH}
      ) as found
    ), recorded as (
      ${insert} and created_at < (day + 1)::timestamp at time zone 'utc' on conflict do nothing
    )
    update usage_walk set day = place.day,
      after = (select id from batch order by id offset ${BATCH - 1})
    from place where subject = ${subject}
    returning usage_walk.after is not null as has_more`.execute(db)
  return rows[0]?.hasMore ?? false
}
