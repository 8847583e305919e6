import { type Kysely, type RawBuilder, sql } from 'kysely'
import { askedFiles, askedRows } from '../state/asked-rows.ts'
import { isLive } from '../state/live-file.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'

type Changed = Pick<FileRow, 'id' | 'version' | 'updatedAt' | 'cleanupAfter' | 'uploadId' | 'completingAt'>

export interface BegunUpload {
  /** The row as it was read: its version is the guard. */
  file: FileRow
  /** The store's name for the upload. */
  uploadId: string
}

/**
 * As `recordUploadId`, for any number of uploads in one statement. Returns the new rows in the same order; null for
 * one that changed since it was read, or that somebody holds: it is asked for alone.
 */
export async function recordUploadIds(
  db: Kysely<FilesDb>,
  begun: readonly BegunUpload[],
  { urlSeconds, settleSeconds }: { urlSeconds: number; settleSeconds: number },
): Promise<(FileRow | null)[]> {
  return await changeOpen(db, begun, {
    where: sql`purging_at is null`,
    set: sql`upload_id = chosen.upload_id,
      cleanup_after = greatest(cleanup_after, now() + make_interval(secs => ${urlSeconds + settleSeconds}))`,
  })
}

/** As `beginCompleting`, for uploads whose completion nobody has begun, and with answers as `recordUploadIds`. */
export async function beginCompletingAll(
  db: Kysely<FilesDb>,
  uploads: readonly { file: FileRow }[],
  { settleSeconds }: { settleSeconds: number },
): Promise<(FileRow | null)[]> {
  return await changeOpen(db, uploads, {
    where: sql`completing_at is null and ${isLive}`,
    set: sql`completing_at = now(),
      cleanup_after = greatest(cleanup_after, now() + make_interval(secs => ${settleSeconds}))`,
  })
}

/** Of other columns than these nothing can have changed while the version is the same, so the rows need not be read. */
async function changeOpen(
  db: Kysely<FilesDb>,
  uploads: readonly { file: FileRow; uploadId?: string }[],
  { where, set }: { where: RawBuilder<unknown>; set: RawBuilder<unknown> },
): Promise<(FileRow | null)[]> {
  const { rows } = await sql<Changed>`
    with asked as materialized (
      ${askedRows({
        id: ['uuid', uploads.map(({ file }) => file.id)],
        version: ['integer', uploads.map(({ file }) => file.version)],
        new_upload_id: ['text', uploads.map(({ uploadId = null }) => uploadId)],
      })}
    ), chosen as materialized (
      select file.id, asked.new_upload_id as upload_id
      from asked ${askedFiles({ unlessHeld: true })}
      where status = 'uploading' and ${where}
    )
    update file set ${set}, version = version + 1, updated_at = now()
    from chosen where file.id = chosen.id
    returning file.id, version, updated_at, cleanup_after, file.upload_id, completing_at`.execute(db)
  const changed = new Map(rows.map((row) => [row.id, row]))
  return uploads.map(({ file }) => {
    const own = changed.get(file.id)
    // Asked for twice at once: one of them did it.
    changed.delete(file.id)
    return own ? { ...file, ...own } : null
  })
}
