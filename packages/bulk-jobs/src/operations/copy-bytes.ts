import { isInHotTier, openBytes } from '@tideport/file-lifecycle/copies/open-bytes'
import { withCopies } from '@tideport/file-lifecycle/state/file-copies'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import type { JobDeps } from '../jobs/advance-job.ts'

/**
 * Copies bytes to another key: by the store while they are hot, else from a network, verified. Throws `content_lost`.
 */
export async function copyBytes(
  deps: Pick<JobDeps, 'db' | 'hotTier' | 'networks' | 'log'>,
  source: FileRow,
  upload: FileRow,
  signal: AbortSignal,
): Promise<void> {
  const { hotTier } = deps
  const { sizeBytes, mimeType } = source
  const isCopied =
    isInHotTier(source) &&
    source.evictingAt === null &&
    source.hotKey !== null &&
    (await hotTier.copy(upload.uploadKey, { from: source.hotKey, sizeBytes, mimeType }, signal))
  if (!isCopied) {
    const { bytes } = await openBytes(deps, await withCopies(deps.db, source), undefined, signal)
    await hotTier.store(upload.uploadKey, { mimeType, body: bytes }, signal)
  }
  const storedBytes = await hotTier.head(upload.uploadKey, { sizeBytes, signal })
  if (storedBytes !== sizeBytes) throw new Error(`The store has ${storedBytes} bytes of a copy of ${sizeBytes}`)
}
