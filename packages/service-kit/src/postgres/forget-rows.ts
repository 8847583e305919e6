import { type Kysely, type RawBuilder, sql } from 'kysely'

/** Rows per statement, so that no statement holds many locks. */
export const FORGET_BATCH = 1000

/** Skips locked rows. Deletes by ctid, because finding a few rows by their keys can read the entire table. */
export async function forgetRows<DB>(db: Kysely<DB>, table: string, isOld: RawBuilder<unknown>): Promise<number> {
  const { rows } = await sql`
    delete from ${sql.table(table)} where ctid = any (array(
      select ctid from ${sql.table(table)} where ${isOld} limit ${FORGET_BATCH} for update skip locked))
    returning 1`.execute(db)
  return rows.length
}
