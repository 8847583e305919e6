import { currentCause } from '@tideport/service-kit/context/request-context'
import { type Kysely, sql } from 'kysely'
import type { Guarded } from '../state/guarded-update.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { manyFiles } from '../state/transitions.ts'
import type { Writes } from '../state/writes.ts'

/** What makes sure that the clean-up comes after all that may still be under way. */
const cleanupAfter = sql`greatest(cleanup_after, now() + make_interval(secs => given_seconds))`

const recording = manyFiles<Guarded & { uploadId: string; seconds: number }>({
  waitsWith: ({ file }) => file.id,
  change: () => ({
    from: ['uploading'],
    inTrashToo: true,
    given: { upload_id: ['text', ({ uploadId }) => uploadId], seconds: ['integer', ({ seconds }) => seconds] },
    set: { uploadId: sql`given_upload_id`, cleanupAfter },
    events: [],
  }),
})

/** The store's name for the upload, once it exists there; `cleanup_after` counts from the issued URL's expiry. */
export function recordUploadId(
  writes: Writes,
  file: FileRow,
  { uploadId, urlSeconds, settleSeconds }: { uploadId: string; urlSeconds: number; settleSeconds: number },
): Promise<FileRow | null> {
  return writes.write(recording, { file, uploadId, seconds: urlSeconds + settleSeconds, cause: currentCause() })
}

const completing = manyFiles<Guarded & { seconds: number }>({
  waitsWith: ({ file }) => file.id,
  change: () => ({
    from: ['uploading'],
    given: { seconds: ['integer', ({ seconds }) => seconds] },
    set: { completingAt: sql`coalesce(completing_at, now())`, cleanupAfter },
    events: [],
  }),
})

/**
 * From here the store may complete the upload at any time, so nothing else may end it. Repeated by every confirm, which
 * pushes `cleanup_after` each time. `isOverdue`: the first completion was begun longer ago than a store may take.
 */
export async function beginCompleting(
  writes: Writes,
  file: FileRow,
  { settleSeconds, lostSeconds }: { settleSeconds: number; lostSeconds: number },
): Promise<{ file: FileRow; isOverdue: boolean } | null> {
  const begun = await writes.write(completing, { file, seconds: settleSeconds, cause: currentCause() })
  if (begun === null) return null
  // Both are of the database's clock.
  const elapsedMs = begun.updatedAt.getTime() - (begun.completingAt ?? begun.updatedAt).getTime()
  return { file: begun, isOverdue: elapsedMs >= lostSeconds * 1000 }
}

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
