import { type Kysely, sql } from 'kysely'
import type { FilesDb } from './tables.ts'

const BATCH = 5000

/** Adds a batch of changes to the sums of accounts and networks. One process at a time. Whether there may be more. */
export async function foldUsage({ db }: { db: Kysely<FilesDb> }): Promise<boolean> {
  const { rows } = await sql<{ folded: number }>`
    with turn as materialized (
      select pg_try_advisory_xact_lock(hashtext('fold network usage')) as is_ours
    ), taken as (
      delete from network_usage_change where ctid = any (array(
        select ctid from network_usage_change where (select is_ours from turn) limit ${BATCH}))
      returning account_id, network, copies, bytes
    ), summed as (
      insert into network_usage (account_id, network, copies, bytes)
      select account_id, network, sum(copies), sum(bytes) from taken group by account_id, network
      on conflict (account_id, network)
      do update set copies = network_usage.copies + excluded.copies, bytes = network_usage.bytes + excluded.bytes
    )
    select count(*) as folded from taken`.execute(db)
  return (rows[0]?.folded ?? 0) === BATCH
}
