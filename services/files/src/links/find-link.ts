import type { Visibility } from '@tideport/contracts/public/vaults'
import type { SeenCopies } from '@tideport/file-lifecycle/state/file-copies'
import type { FilesDb, LinkRow } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'
import { findLinkedFile, findLinkedPath, linkedFile } from '../lookups/find-file.ts'
import { digestOf, isToken } from './token.ts'

/** Neither revoked nor over, by the time of the database; what is spent is for whoever looks to say. */
export const isOpen = sql<boolean>`link.revoked_at is null and (link.expires_at is null or link.expires_at > now())`

/** A link that is open, with the time at which it was. */
export type SeenLink = LinkRow & {
  seenAt: Date
  /** Of a link to a folder. */
  vaultName: string | null
  vaultVisibility: Visibility | null
}

/** Null: nobody made it, it has ended, or what it leads to cannot be read. */
export async function findLink(db: Kysely<FilesDb>, token: string): Promise<SeenLink | null> {
  if (!isToken(token)) return null
  const { rows } = await sql<SeenLink>`
    select link.*, now() as seen_at, vault.name as vault_name, vault.visibility as vault_visibility
    from link left join vault on vault.id = link.vault_id
    where link.digest = ${digestOf(token)} and ${isOpen} and vault.deleted_at is null
      and (link.file_id is null or exists (${linkedFile(sql`link.file_id`, sql`1`)}))`.execute(db)
  return rows[0] ?? null
}

/** Null: no readable file, or a link of the other kind. Paths are compared as text, so none leads upward. */
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
