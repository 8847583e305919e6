import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { FileSeen } from '../files/find-live-file.ts'

/** A confirmed file that nobody threw away and whose bytes exist: a failed one counts while some copy is recorded. */
export const isReadable = sql<boolean>`file.purging_at is null and file.deleted_at is null
  and (file.status in ('hot', 'synced', 'cold')
    or file.status = 'error' and (file.hot_key is not null or file.synced_at is not null))`

/** A readable file in a public vault. Private, unconfirmed, thrown away and missing are all the same null. */
export function findPublicFile(db: Kysely<FilesDb>, fileId: string): Promise<FileSeen | null> {
  return selectPublic(db, sql`file.id = ${fileId}`)
}

/**
 * The synced file in a public vault that has this blob id: of several the earliest synced one, so that nobody takes over
 * a name and type by storing the same bytes later.
 */
export function findPublicBlob(db: Kysely<FilesDb>, blobId: string): Promise<FileSeen | null> {
  return selectPublic(db, sql`file.blob_id = ${blobId} and file.synced_at is not null`)
}

/** Starts from the vault's visibility, so no condition that is forgotten later can open a private file. */
async function selectPublic(db: Kysely<FilesDb>, which: RawBuilder<unknown>): Promise<FileSeen | null> {
  const { rows } = await sql<FileSeen>`
    select file.*, now() as seen_at
    from vault join file on file.vault_id = vault.id
    where vault.visibility = 'public' and vault.deleted_at is null and ${isReadable} and ${which}
    order by file.synced_at, file.id
    limit 1`.execute(db)
  return rows[0] ?? null
}
