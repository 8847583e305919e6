import { currentCause } from '@tideport/service-kit/context/request-context'
import { sql } from 'kysely'
import type { Guarded } from '../state/guarded-update.ts'
import type { FileRow } from '../state/tables.ts'
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
