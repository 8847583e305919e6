import { type Kysely, sql } from 'kysely'
import type { TestDatabase } from './postgres.ts'
import { waitFor } from './wait-for.ts'

/**
 * Statistics of all rows of these tables, so that plans do not depend on a sample; every page known as visible, and
 * the reads of whoever filled the tables counted. The tests' Postgres changes none of that by itself.
 */
export async function settleTables(run: TestDatabase['sql'], ...tables: string[]): Promise<void> {
  await waitFor(
    async () => {
      await run(`vacuum (index_cleanup on) ${tables}`) // else it leaves what few dead rows there are
      // An older snapshot keeps pages from being marked.
      const [row] = await run('select bool_and(relallvisible = relpages) as ok from pg_class where relname = any($1)', [
        tables,
      ])
      return row?.ok
    },
    { what: `all pages of ${tables} to be visible` },
  )
  await run(`set default_statistics_target = 1000; analyze ${tables}`)
  await run('select pg_stat_force_next_flush()')
}

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
