import { type Kysely, sql } from 'kysely'
import type { TestDatabase } from './postgres.ts'
import { waitFor } from './wait-for.ts'

/** Complete statistics and visible pages, so that plans depend neither on a sample nor on earlier reads. */
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

/** Rows of these tables read so far, by any plan. `db` must have one connection, whose statistics are flushed. */
export async function rowsReadSoFar<DB>(db: Kysely<DB>, ...tables: string[]): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db)
  const { rows } = await sql<{ read: number }>`
    select sum(seq_tup_read + idx_tup_fetch)::int as read from pg_stat_user_tables where relname = any(${tables})`.execute(
    db,
  )
  return rows[0]?.read ?? Number.NaN
}
