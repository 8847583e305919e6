import { isInHotTier } from '@tideport/file-lifecycle/copies/open-bytes'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import type { FileSeen } from '../lookups/find-live-file.ts'
import { contentDisposition } from './content-headers.ts'

/**
 * Whether a presigned URL may be issued: it has to work until it expires, so never once eviction has begun, nor after
 * it failed (docs/file-lifecycle.md §6). An error of a file that was synced comes from eviction. Where the object was
 * not found we look again when the URL is used, and can say so; the store cannot. It also refuses any range of an empty
 * object.
 */
export function mayPresign(file: FileRow): boolean {
  if (file.sizeBytes === 0 || !isInHotTier(file) || file.evictingAt !== null) return false
  return file.status !== 'error' || (file.syncedAt === null && !objectMissing.includes(file.errorCode))
}

const objectMissing: readonly (string | null)[] = ['hot_copy_missing', 'content_lost']

/** A presigned GET with the file's own type and name. Its life counts from when the row was read. */
export async function presignHotUrl(
  hotTier: HotTier,
  file: FileSeen,
  { downloadUrlSeconds }: { downloadUrlSeconds: number },
  disposition?: 'attachment',
): Promise<string> {
  if (file.hotKey === null) throw new Error('The file has no hot copy')
  return await hotTier.presignDownload({
    key: file.hotKey,
    mimeType: file.mimeType,
    disposition: contentDisposition(file, disposition),
    expiresSeconds: downloadUrlSeconds,
    signedAt: file.seenAt,
  })
}
