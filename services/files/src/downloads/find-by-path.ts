import {
  asSeenCopies,
  copiesOfFile,
  type FileWithJson,
  type SeenCopies,
} from '@tideport/file-lifecycle/state/file-copies'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { standingFor } from '@tideport/file-lifecycle/state/take-path'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { isPublished, isReadable } from './find-public-file.ts'

/** The confirmed file that was put last at a path of the account's vault. Null: there is none, or no such vault. */
export function findOwnPath(
  db: Kysely<FilesDb>,
  { accountId, vaultId, path }: { accountId: string; vaultId: string; path: string },
): Promise<SeenCopies | null> {
  return selectAt(db, path, { where: sql`vault.id = ${vaultId} and vault.account_id = ${accountId}` })
}

/** The same of a public vault, if the file that stands for the path can be read by anyone. */
export function findPublicPath(
  db: Kysely<FilesDb>,
  { userId, vaultSlug, path }: { userId: string; vaultSlug: string; path: string },
): Promise<SeenCopies | null> {
  return selectShownAt(
    db,
    path,
    sql`vault.account_id = ${userId} and vault.slug = ${vaultSlug} and vault.visibility = 'public'`,
  )
}

/** What everyone but the owner finds at a path: a file that awaits review is not found, and hides no published file there. */
export function selectShownAt(
  db: Kysely<FilesDb>,
  path: string,
  where: RawBuilder<unknown>,
): Promise<SeenCopies | null> {
  return selectAt(db, path, { where: sql`${where} and ${isReadable}`, among: isPublished })
}

/** The file that stands for a path, of those `among` which it is looked for, in the vault that a condition names. */
async function selectAt(
  db: Kysely<FilesDb>,
  path: string,
  { where, among }: { where: RawBuilder<unknown>; among?: RawBuilder<unknown> },
): Promise<SeenCopies | null> {
  // No text of Postgres has it, so no path does.
  if (path.includes('\0')) return null
  const { rows } = await sql<FileWithJson<{ seenAt: Date }>>`
    select file.*, now() as seen_at, ${copiesOfFile} as copies
    from vault cross join lateral (${standingFor(sql`vault.id`, sql`${path}`, among)}) as file
    where vault.deleted_at is null and ${where}`.execute(db)
  const [row] = rows
  return row ? asSeenCopies(row) : null
}
