import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { FilesDb } from './tables.ts'
import { networksOf, utcToday } from './usage-days.ts'

const BATCH = 500

type Subject = 'account' | 'vault'

interface UsageDeps {
  db: Kysely<FilesDb>
  today?: RawBuilder<unknown>
}

/**
 * Records what a batch of accounts and a batch of vaults had at the end of the last day (UTC). One process at a time; a
 * day without a run has no rows. Whether there is more.
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
