import { type Kysely, sql } from 'kysely'
import type { FilesDb } from './tables.ts'

const BATCH = 500

/**
 * Adds a batch of new names to the index of names (ADR 0007). One process at a time, because a slower one could restore
 * an old name. Returns whether more may remain.
 */
export async function indexNames({ db }: { db: Kysely<FilesDb> }): Promise<boolean> {
  const { rows } = await sql`
    with turn as materialized (
      select pg_try_advisory_xact_lock(hashtext('index names')) as is_ours
    ), taken as (
      delete from name_to_index where ctid = any (array(
        select ctid from name_to_index where (select is_ours from turn) limit ${BATCH} for update skip locked))
      returning file_id
    ), named as (
      select id, account_id, name from file where id in (select file_id from taken) for key share
    ), indexed as (
      insert into file_name (file_id, account_id, folded_name) select id, account_id, folded(name) from named
      on conflict (file_id) do update set folded_name = excluded.folded_name
    )
    select from taken`.execute(db)
  return rows.length === BATCH
}
