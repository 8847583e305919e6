import { confirmUpload } from '@tideport/contracts/public/files'
import type { PathRefusal } from '@tideport/file-lifecycle/state/take-path'
import type { Writes } from '@tideport/file-lifecycle/state/writes'
import { type Completion, completeUpload } from '@tideport/file-lifecycle/upload/confirm'
import { type ShowDeps, showFile, toFile } from '@tideport/file-lifecycle/views/file-views'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import type { Batching } from '@tideport/service-kit/batching/batching'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import { assertMay, isUploader, toUploader } from '../calls/enforce-key-limits.ts'
import type { FilesConfig } from '../config.ts'
import { type AnnounceDeps, storeQueues } from '../files/announce-work.ts'
import { refusedAtPath } from '../files/file-fields.ts'
import { batchFinds } from '../lookups/find-file.ts'

interface Deps extends AnnounceDeps, ShowDeps {
  hotTier: HotTier
  batching: Batching
  writes: Writes
  config: Pick<FilesConfig, 'confirmWaitSeconds' | 'confirmLostSeconds' | 'settleSeconds' | 'trashRetentionSeconds'>
}

/**
 * `POST /api/files/:fileId/confirm` (docs/explain/life-of-a-file.md §4). Can be repeated: returns a confirmed file
 * unchanged.
 */
export function confirmUploadRoute({ db, batching, writes, hotTier, networks, config, announce }: Deps) {
  const shown = { db, networks }
  const findOwnFile = batchFinds(db, batching)
  const { confirmWaitSeconds, ...limits } = config
  return serve(confirmUpload, async ({ principal, params, signal }) => {
    const upload = await findOwnFile(principal.accountId, params.fileId)
    if (upload === null) throw notFound()
    if (upload.status === 'uploading' && upload.onConflict === 'replace') assertMay(principal, 'replaces')
    const waitMs = confirmWaitSeconds * 1000
    const completion = await completeUpload({ db, writes, hotTier, networks, ...limits }, upload, { waitMs, signal })
    if ('occupantId' in completion) throw refusedAtPath(completion)
    if (completion.outcome !== 'confirmed') throw toError(completion.outcome)
    const { file, didTransition } = completion
    if (!didTransition) return await showFile(shown, file, toFile)
    announce(file.id, storeQueues(networks.required))
    // Its copies were just planned.
    const shownFile = toFile(file, { copies: [], order: networks.order, blobIdOf: networks.blobIdOf })
    return isUploader(principal, file) ? toUploader(shownFile) : shownFile
  })
}

function toError(outcome: Exclude<Completion['outcome'], 'confirmed' | PathRefusal['outcome']>): AppError {
  switch (outcome) {
    case 'incomplete':
      return new AppError(
        'upload_incomplete',
        'The upload is incomplete. Upload the remaining bytes, then confirm again.',
      )
    case 'mismatch':
      return new AppError('upload_mismatch', 'The uploaded bytes do not match the announced size or SHA-256')
    case 'lost':
      return new AppError('upload_lost', 'The object storage has lost the upload. Start a new upload.')
    case 'in_progress':
      return new AppError(
        'confirm_in_progress',
        'The object storage is still completing the upload. Confirm again later.',
        {
          retryAfterSeconds: 2,
        },
      )
    case 'gone':
      return notFound()
  }
}
