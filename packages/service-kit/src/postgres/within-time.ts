import { type Kysely, sql } from 'kysely'
import { isCancelled } from './database-errors.ts'

/** Postgres cancels each statement of `work` after this time. Returns null if one takes longer. */
export async function withinTime<DB, T>(
  db: Kysely<DB>,
  milliseconds: number,
  work: (trx: Kysely<DB>) => Promise<T>,
): Promise<T | null> {
  try {
    return await db.transaction().execute(async (trx) => {
      await sql`select set_config('statement_timeout', ${String(milliseconds)}, true)`.execute(trx)
      return await work(trx)
    })
  } catch (error) {
    if (isCancelled(error)) return null
    throw error
  }
}
