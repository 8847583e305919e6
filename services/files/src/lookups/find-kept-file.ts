import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'

/** A file in the trash, by itself or with its vault: since when, and until when it can be restored. */
export type TrashedRow = FileRow & { trashedAt: Date; restorableUntil: Date }

/** A file that its owner could still restore or read: in the trash, with its vault in the trash, or not at all. */
export interface KeptFile {
  file: FileRow
  isVaultTrashed: boolean
}

/** Null when it never was, is somebody else's, or is being removed for good. */
export async function findKeptFile(db: Kysely<FilesDb>, accountId: string, fileId: string): Promise<KeptFile | null> {
  const { rows } = await sql<FileRow & { isVaultTrashed: boolean }>`
    select file.*, vault.deleted_at is not null as is_vault_trashed
    from file join vault on vault.id = file.vault_id
    where file.id = ${fileId} and file.account_id = ${accountId}
      and file.purging_at is null and vault.purging_at is null`.execute(db)
  const row = rows[0]
  if (row === undefined) return null
  const { isVaultTrashed, ...file } = row
  return { file, isVaultTrashed }
}
