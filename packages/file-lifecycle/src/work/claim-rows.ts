import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { claimed, isFree } from './claim.ts'
import type { Claimable } from './claimable.ts'

/**
 * Claims a file for work that is no step of its life (purge, clean-up), when `condition` holds and nobody holds it.
 * What the claims without an outcome of steps count stays untouched. Null: nothing to do.
 */
export async function claimWhere(
  db: Kysely<FilesDb>,
  fileId: string,
  condition: RawBuilder<unknown>,
): Promise<FileRow | null> {
  const { rows } = await sql<FileRow>`
    update file set ${claimed} where id = ${fileId} and ${condition} and ${isFree('file')}
    returning *`.execute(db)
  return rows[0] ?? null
}

/** What a periodic task takes up: rows for which `where` holds, by `by` those first that have been due longest. */
export interface DueRows {
  where: RawBuilder<unknown>
  by: RawBuilder<unknown>
}

/**
 * Claims up to `limit` rows that are due and skips rows that are claimed: any number of processes get different ones, and
 * none waits for another.
 */
export async function claimDue<Row>(
  db: Kysely<FilesDb>,
  { table, key }: Claimable<Row>,
  { where, by }: DueRows,
  limit: number,
): Promise<Row[]> {
  const isSame = key.map((column) => sql`${sql.ref(`${table}.${column}`)} = ${sql.ref(`batch.${column}`)}`)
  const { rows } = await sql<Row>`
    with batch as materialized (
      select ${sql.join(key.map((column) => sql.ref(column)))} from ${sql.table(table)} where ${where} and ${isFree(table)}
      order by ${by} limit ${limit} for update skip locked
    )
    update ${sql.table(table)} set ${claimed} from batch where ${sql.join(isSame, sql` and `)}
    returning ${sql.table(table)}.*`.execute(db)
  return rows
}
