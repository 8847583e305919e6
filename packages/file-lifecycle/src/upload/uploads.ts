import { type Kysely, sql } from 'kysely'
import type { FileRow, FilesDb } from '../state/tables.ts'

/** A further URL is issued for an open upload, signed as of `updatedAt`; `cleanup_after` counts from its expiry. */
export async function recordUrl(
  db: Kysely<FilesDb>,
  fileId: string,
  { urlSeconds, settleSeconds }: { urlSeconds: number; settleSeconds: number },
): Promise<FileRow | null> {
  const result = await sql<FileRow>`
    update file set version = version + 1, updated_at = now(),
      cleanup_after = greatest(cleanup_after, now() + make_interval(secs => ${urlSeconds + settleSeconds}))
    where id = ${fileId} and status = 'uploading' and (upload_id is not null or upload_form = 'once')
      and completing_at is null and purging_at is null
    returning *`.execute(db)
  return result.rows[0] ?? null
}

/**
 * The client is still writing: the upload is open again. Guarded by the very completion that found out, to the
 * millisecond that a date of ours carries; Postgres has microseconds.
 */
export async function reopenUpload(db: Kysely<FilesDb>, file: FileRow): Promise<void> {
  await sql`
    update file set completing_at = null, version = version + 1, updated_at = now()
    where id = ${file.id} and status = 'uploading'
      and date_trunc('milliseconds', completing_at) = ${file.completingAt}`.execute(db)
}
