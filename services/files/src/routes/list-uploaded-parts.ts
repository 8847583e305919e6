import { listUploadedParts } from '@tideport/contracts/http/uploads'
import type { HotTier } from '@tideport/file-lifecycle/hot-tier'
import { partCount } from '@tideport/file-lifecycle/part-layout'
import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { AppError, notFound } from '@tideport/service-kit/app-error'
import { serve } from '@tideport/service-kit/route'
import type { Kysely } from 'kysely'
import { findOwnFile } from '../find-live-file.ts'

/** `GET /api/files/:fileId/parts`: what the store has, so that a client can go on with what is missing. */
export function listUploadedPartsRoute({ db, hotTier }: { db: Kysely<FilesDb>; hotTier: HotTier }) {
  return serve(listUploadedParts, async ({ principal, params }) => {
    const upload = await findOwnFile(db, principal.accountId, params.fileId)
    if (upload === null) throw notFound()
    if (upload.status !== 'uploading') throw new AppError('state_conflict', 'The upload was confirmed already')
    if (upload.completingAt !== null) throw new AppError('upload_in_progress', 'The upload is being confirmed')
    const parts = upload.uploadId === null ? [] : await hotTier.listParts(upload.uploadKey, upload.uploadId)
    if (parts === null) throw new AppError('upload_lost', 'The object storage has lost the upload; request a new one')
    return {
      partSizeBytes: upload.partSizeBytes,
      partCount: partCount(upload),
      parts: parts.map(({ partNumber, sizeBytes }) => ({ partNumber, sizeBytes })),
    }
  })
}
