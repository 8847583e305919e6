import { type Kysely, sql } from 'kysely'
import { type FileRow, type FilesDb, orNull } from '../state/tables.ts'

/**
 * Records the digests of bytes that were sent to the store while they arrived. Nobody reads them before the file is
 * hot, so the version stays.
 */
export async function recordDigests(
  db: Kysely<FilesDb>,
  upload: FileRow,
  { sha256, entityTag, digests }: { sha256: string; entityTag: string; digests: Record<string, string> },
): Promise<FileRow> {
  const { rows } = await sql<FileRow>`
    update file set sha256 = ${sha256}, checksum_declared = ${sha256}, entity_tag = ${entityTag},
      digests = ${orNull(digests)}::jsonb
    where id = ${upload.id} and status = 'uploading' returning *`.execute(db)
  return rows[0] ?? upload
}
