import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { CopyRow, FileRow, FilesDb } from '../state/tables.ts'
import { claimed, isFree } from './claim.ts'

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
 * Claims up to `limit` files that are due, passing over what somebody else is at: any number of processes get different
 * ones, and none waits for another.
 */
export async function claimFiles(db: Kysely<FilesDb>, { where, by }: DueRows, limit: number): Promise<FileRow[]> {
  const { rows } = await sql<FileRow>`
    with batch as materialized (
      select id from file where ${where} and ${isFree('file')}
      order by ${by} limit ${limit} for update skip locked
    )
    update file set ${claimed} from batch where file.id = batch.id
    returning file.*`.execute(db)
  return rows
}

/** Claims up to `limit` copies that are due, passing over what somebody else is at. */
export async function claimCopies(db: Kysely<FilesDb>, { where, by }: DueRows, limit: number): Promise<CopyRow[]> {
  const { rows } = await sql<CopyRow>`
    with batch as materialized (
      select file_id, network from copy where ${where} and ${isFree('copy')}
      order by ${by} limit ${limit} for update skip locked
    )
    update copy set ${claimed} from batch where copy.file_id = batch.file_id and copy.network = batch.network
    returning copy.*`.execute(db)
  return rows
}
