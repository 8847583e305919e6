import { type Kysely, sql } from 'kysely'
import type { TestDatabase } from './postgres.ts'
import { waitFor } from './wait-for.ts'

/** Gathers full statistics and marks pages visible, so that plans depend neither on samples nor on earlier reads. */
export async function settleTables(run: TestDatabase['sql'], ...tables: string[]): Promise<void> {
  await waitFor(
    async () => {
      await run(`vacuum (index_cleanup on) ${tables}`) // without the option, vacuum leaves a small number of dead rows
      // Older snapshots prevent vacuum from marking pages visible, so this is repeated.
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

/** Number of rows read from these tables so far, by any plan. `db` must have one connection; flushes its statistics. */
export async function rowsReadSoFar<DB>(db: Kysely<DB>, ...tables: string[]): Promise<number> {
  await sql`select pg_stat_force_next_flush()`.execute(db)
  const { rows } = await sql<{ read: number }>`
    select sum(seq_tup_read + idx_tup_fetch)::int as read from pg_stat_user_tables where relname = any(${tables})`.execute(
    db,
  )
  return rows[0]?.read ?? Number.NaN
}
