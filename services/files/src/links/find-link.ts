import type { Visibility } from '@tideport/contracts/public/vaults'
import type { SeenCopies } from '@tideport/file-lifecycle/state/file-copies'
import type { FilesDb, LinkRow } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'
import { findLinkedFile, findLinkedPath, linkedFile } from '../lookups/find-file.ts'
import { digestOf, isToken } from './token.ts'

/** Neither revoked nor expired, by the clock of the database. Callers check for used-up links themselves. */
export const isOpen = sql<boolean>`link.revoked_at is null and (link.expires_at is null or link.expires_at > now())`

/** An open link, with the time of the check. */
export type SeenLink = LinkRow & {
  seenAt: Date
  /** Set for a link to a folder. */
  vaultName: string | null
  vaultVisibility: Visibility | null
}

/** Null: the link does not exist, has expired, or its target cannot be read. */
export async function findLink(db: Kysely<FilesDb>, token: string): Promise<SeenLink | null> {
  if (!isToken(token)) return null
  const { rows } = await sql<SeenLink>`
    select link.*, now() as seen_at, vault.name as vault_name, vault.visibility as vault_visibility
    from link left join vault on vault.id = link.vault_id
    where link.digest = ${digestOf(token)} and ${isOpen} and vault.deleted_at is null
      and (link.file_id is null or exists (${linkedFile(sql`link.file_id`, sql`1`)}))`.execute(db)
  return rows[0] ?? null
}

/**
 * Null: no readable file, or a link of the other kind. Paths are compared as text, so no path leads outside the folder.
 */
export async function findFileOf(db: Kysely<FilesDb>, link: SeenLink, path: string | null): Promise<SeenCopies | null> {
  const { fileId, vaultId, prefix } = link
  if (isForUploads(link)) return null
  if (path === null) return fileId === null ? null : await findLinkedFile(db, fileId)
  if (vaultId === null || prefix === null || path === '') return null
  return await findLinkedPath(db, { vaultId, path: prefix + path })
}

export function isForUploads({ maxFiles }: LinkRow): boolean {
  return maxFiles !== null
}

export function isSpent({ maxDownloads, downloads, maxFiles, files, maxBytes, bytes }: LinkRow): boolean {
  const isFull = maxFiles !== null && maxBytes !== null && (files >= maxFiles || bytes >= maxBytes)
  return isFull || (maxDownloads !== null && downloads >= maxDownloads)
}
