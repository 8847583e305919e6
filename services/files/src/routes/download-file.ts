import { downloadFile } from '@tideport/contracts/public/files'
import { isInHotTier } from '@tideport/file-lifecycle/copies/open-bytes'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { expiryOf } from '@tideport/hot-tier/presign'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import type { FilesConfig } from '../config.ts'
import { signDownload } from '../downloads/download-signature.ts'
import { mayPresign, presignHotUrl } from '../downloads/hot-url.ts'
import { findOwnFile } from '../files/find-live-file.ts'
import type { TakeBytes } from '../limits/take-bytes.ts'

interface Deps {
  db: Kysely<FilesDb>
  hotTier: HotTier
  takeBytes: TakeBytes
  config: Pick<FilesConfig, 'publicUrl' | 'downloadTokenKeys' | 'downloadUrlSeconds'>
}

/** `GET /api/files/:fileId/download`: a presigned URL while the hot copy is sure to outlive it, else a service URL. */
export function downloadFileRoute({ db, hotTier, takeBytes, config }: Deps) {
  return serve(downloadFile, async ({ principal, params }) => {
    const file = await findOwnFile(db, principal.accountId, params.fileId)
    if (file === null) throw notFound()
    if (file.status === 'uploading') throw new AppError('not_downloadable', 'The upload has not been confirmed yet')
    const expiresAt = expiryOf(file.seenAt, config.downloadUrlSeconds)
    const isLost = !isInHotTier(file) && file.syncedAt === null
    if (isLost) throw new AppError('content_lost', 'The bytes of this file are lost')
    await takeBytes(principal, file.sizeBytes)
    if (mayPresign(file)) {
      const downloadUrl = await presignHotUrl(hotTier, file, config)
      return { downloadUrl, expiresAt: expiresAt.toISOString(), source: 'hot' as const }
    }
    const query = new URLSearchParams({ ...signDownload(config.downloadTokenKeys, file.id, expiresAt) })
    const downloadUrl = `${config.publicUrl}/api/downloads/${file.id}?${query}`
    return { downloadUrl, expiresAt: expiresAt.toISOString(), source: 'network' as const }
  })
}
