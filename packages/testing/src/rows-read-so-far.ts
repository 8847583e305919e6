import { type Kysely, sql } from 'kysely'

/**
 * How many rows of these tables were read so far, by whatever plan. The database must be open with one connection, whose
 * statistics can be told to be written at once.
 */
export async function rowsReadSoFar<DB>(db: Kysely<DB>, ...tables: string[]): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db)
  const { rows } = await sql<{ read: number }>`
    select sum(seq_tup_read + idx_tup_fetch)::int as read from pg_stat_user_tables where relname = any(${tables})`.execute(
    db,
  )
  return rows[0]?.read ?? Number.NaN
}
