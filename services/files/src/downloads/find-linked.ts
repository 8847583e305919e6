import {
  asSeenCopies,
  copiesOfFile,
  type FileWithJson,
  type SeenCopies,
} from '@tideport/file-lifecycle/state/file-copies'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { selectShownAt } from './find-by-path.ts'
import { isReadable } from './find-public-file.ts'

/**
 * A readable file, whatever the vault: for callers who have shown a link to it. It may await review: its owner created a link to
 * this very file.
 */
export async function findLinkedFile(db: Kysely<FilesDb>, fileId: string): Promise<SeenCopies | null> {
  const columns = sql`file.*, now() as seen_at, ${copiesOfFile} as copies`
  const { rows } = await linkedFile(sql`${fileId}`, columns).execute(db)
  const [row] = rows
  return row ? asSeenCopies(row) : null
}

/** The statement, or part of one, that finds it. */
export function linkedFile(
  fileId: RawBuilder<unknown>,
  columns: RawBuilder<unknown>,
): RawBuilder<FileWithJson<{ seenAt: Date }>> {
  return sql`select ${columns} from file join vault on vault.id = file.vault_id
    where file.id = ${fileId} and vault.deleted_at is null and ${isReadable}`
}

/** The same of the file that stands for a path of a vault. */
export function findLinkedPath(
  db: Kysely<FilesDb>,
  { vaultId, path }: { vaultId: string; path: string },
): Promise<SeenCopies | null> {
  return selectShownAt(db, path, sql`vault.id = ${vaultId}`)
}
