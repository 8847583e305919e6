import type { download } from '@tideport/contracts/public/files'
import { isInHotTier } from '@tideport/file-lifecycle/copies/open-bytes'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { expiryOf } from '@tideport/hot-tier/presign'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { z } from 'zod'
import type { FilesConfig } from '../config.ts'
import type { FileSeen } from '../lookups/find-live-file.ts'
import { signDownload } from './download-signature.ts'
import { mayPresign, presignHotUrl } from './hot-url.ts'

export interface DownloadDeps {
  hotTier: HotTier
  config: Pick<FilesConfig, 'publicUrl' | 'downloadTokenKeys' | 'downloadUrlSeconds'>
}

/**
 * A URL for the bytes of a confirmed file: a presigned one while the hot copy is sure to outlive it, else one of ours.
 * Throws 410 when there are none, and what `beforehand` does of a file whose bytes are there.
 */
export async function downloadTarget(
  { hotTier, config }: DownloadDeps,
  file: FileSeen,
  beforehand: () => Promise<void>,
  disposition?: 'attachment',
): Promise<z.output<typeof download>> {
  const expiresAt = expiryOf(file.seenAt, config.downloadUrlSeconds)
  if (!hasBytes(file)) {
    throw new AppError('content_lost', 'The bytes of this file are lost')
  }
  await beforehand()
  if (mayPresign(file)) {
    const downloadUrl = await presignHotUrl(hotTier, file, config, disposition)
    return { downloadUrl, expiresAt: expiresAt.toISOString(), source: 'hot' }
  }
  const token = signDownload(config.downloadTokenKeys, file.id, expiresAt)
  const query = new URLSearchParams({ ...token, ...(disposition && { disposition }) })
  const downloadUrl = `${config.publicUrl}/api/downloads/${file.id}?${query}`
  const isEmptyHot = file.sizeBytes === 0 && isInHotTier(file)
  return { downloadUrl, expiresAt: expiresAt.toISOString(), source: isEmptyHot ? 'hot' : 'network' }
}

/** Whether a confirmed file's bytes are, or were last, anywhere. */
export function hasBytes(file: FileSeen): boolean {
  return isInHotTier(file) || file.syncedAt !== null
}
