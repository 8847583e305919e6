import {
  asSeenCopies,
  copiesOfFile,
  type FileWithJson,
  type SeenCopies,
} from '@tideport/file-lifecycle/state/file-copies'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, type RawBuilder, sql } from 'kysely'

/** A confirmed file that nobody threw away and whose bytes exist: a failed one counts while some copy is recorded. */
export const isReadable = sql<boolean>`file.purging_at is null and file.deleted_at is null
  and (file.status in ('hot', 'synced', 'cold')
    or file.status = 'error' and (file.hot_key is not null or file.synced_at is not null))`

/** Everyone but the owner finds a received file only after the owner has published it. */
export const isPublished = sql<boolean>`not file.awaiting_review`

/** The condition of every public list, public read, and folder link. */
export const isShown = sql<boolean>`${isReadable} and ${isPublished}`

/** A shown file in a public vault. Private, unconfirmed, unpublished, trashed, and missing files are all the same null. */
export function findPublicFile(db: Kysely<FilesDb>, fileId: string): Promise<SeenCopies | null> {
  return selectPublic(db, { from: sql`file`, where: sql`file.id = ${fileId}`, by: sql`file.id` })
}

/**
 * The synced file in a public vault that has or had this blob id on a network: of several the earliest synced one, so
 * that nobody takes over a name and type by storing the same bytes later. Read in that order, up to the first.
 */
export function findPublicBlob(db: Kysely<FilesDb>, blobId: string): Promise<SeenCopies | null> {
  return selectPublic(db, {
    from: sql`copy join file on file.id = copy.file_id`,
    where: sql`copy.blob_id = ${blobId} and copy.file_synced_at is not null and file.synced_at is not null`,
    by: sql`copy.file_synced_at, copy.file_id`,
  })
}

type Which = Record<'from' | 'where' | 'by', RawBuilder<unknown>>

/**
 * Joins the vault's visibility to whatever is asked for, so no condition that is forgotten later can open a private
 * file.
 */
async function selectPublic(db: Kysely<FilesDb>, { from, where, by }: Which): Promise<SeenCopies | null> {
  const { rows } = await sql<FileWithJson<{ seenAt: Date }>>`
    select file.*, now() as seen_at, ${copiesOfFile} as copies
    from ${from} join vault on vault.id = file.vault_id
    where vault.visibility = 'public' and vault.deleted_at is null and ${isShown} and ${where}
    order by ${by}
    limit 1`.execute(db)
  const [row] = rows
  return row ? asSeenCopies(row) : null
}
