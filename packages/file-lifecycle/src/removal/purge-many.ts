import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { FilesDb } from '../state/tables.ts'
import { beginPurge, type Settle } from './purge.ts'

/** Files that one statement takes. */
const BATCH = 500

/** A file's place in the order of creation. */
export interface Place {
  createdAt: string
  id: string
}

export interface PurgedBatch {
  purged: number
  /** The next batch begins behind it; null: this was the last. */
  end: Place | null
}

/** What an account has in the trash by itself, a batch. */
export function purgeTrash(
  db: Kysely<FilesDb>,
  accountId: string,
  settle: Settle,
  after: Place | null,
): Promise<PurgedBatch> {
  return purgeBatch(db, sql`account_id = ${accountId} and deleted_at is not null`, settle, after)
}

/** The files of a vault that is being purged, a batch. */
export function purgeFilesOfVault(
  db: Kysely<FilesDb>,
  vaultId: string,
  settle: Settle,
  after: Place | null,
): Promise<PurgedBatch> {
  return purgeBatch(db, sql`vault_id = ${vaultId}`, settle, after)
}

/**
 * Looked for in the order of an index, from batch to batch, and locked in the order of ids: to look for them in the
 * order of ids would read all that are left for every batch.
 */
async function purgeBatch(
  db: Kysely<FilesDb>,
  which: RawBuilder<unknown>,
  settle: Settle,
  after: Place | null,
): Promise<PurgedBatch> {
  const isNext = after ? sql`(created_at, id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql`true`
  const { rows: found } = await sql<Place>`
    select created_at::text, id from file where ${which} and purging_at is null and ${isNext}
    order by file.created_at, id limit ${BATCH}`.execute(db)
  const ids = found.map(({ id }) => id)
  const purging = ids.length > 0 ? await beginPurge(db, sql`id = any(${ids}::uuid[]) and ${which}`, settle) : []
  return { purged: purging.length, end: found.length === BATCH ? (found.at(-1) ?? null) : null }
}
