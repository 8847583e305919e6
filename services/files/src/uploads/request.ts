import { requestUpload } from '@tideport/contracts/public/files'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { UploadForm } from '@tideport/file-lifecycle/state/tables'
import { issueUploadUrl, type UploadUrlDeps } from '@tideport/file-lifecycle/upload/upload-urls'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { validate as isUuid } from 'uuid'
import { isOpenTo, uploaderOf } from '../calls/enforce-key-limits.ts'
import type { FilesConfig } from '../config.ts'
import { conditionsIn } from '../files/conditions.ts'
import { checkEnd, checkPath, checkSealed } from '../files/file-fields.ts'
import { type CreateDeps, createOrFind, encryptionIn, explainRefusal, isTooLarge, newUpload } from './new-upload.ts'

/** Longer than a store takes to begin an upload. */
const STORE_ANSWERS_SECONDS = 60

interface Deps extends CreateDeps, UploadUrlDeps {
  networks: Networks
  config: Pick<FilesConfig, 'uploadUrlSeconds' | 'uploadExpirySeconds' | 'settleSeconds'>
}

/** `POST /api/files/upload` (docs/explain/life-of-a-file.md §3). A failure at the store leaves a row in `uploading`. */
export function requestUploadRoute(deps: Deps) {
  const { db, hotTier, limits, config } = deps
  const lives = {
    expirySeconds: config.uploadExpirySeconds,
    settledAfterSeconds: STORE_ANSWERS_SECONDS + config.uploadUrlSeconds + config.settleSeconds,
  }
  return serve(requestUpload, async ({ principal, headers, body, charge }) => {
    const { accountId } = principal
    if (!isUuid(body.vaultId)) throw notFound()
    const encryption = encryptionIn(body)
    if (encryption === undefined || isTooLarge(body, limits))
      throw await explainRefusal(db, accountId, { ...body, part: 'body' }, limits)
    checkSealed(body, { isPrivate: encryption !== null, part: 'body' })
    const { path = body.name ?? '', id, vaultId, onConflict, mimeType, sizeBytes, partSizeBytes, expiresAt } = body
    const form: UploadForm = body.put === 'once' && (await hotTier.canPutOnce()) ? 'once' : 'parts'
    const wanted = {
      ...{ id, accountId, vaultId, path, onConflict, mimeType, sizeBytes, partSizeBytes, form, encryption, expiresAt },
      labels: body,
      awaitingReview: body.awaitingReview ?? false,
      checksumDeclared: body.checksumSha256?.toLowerCase(),
      autoConfirm: body.autoConfirm ?? false,
      uploaderKeyId: uploaderOf(principal),
      ...lives,
    }
    const key = headers['idempotency-key']
    // A repeated request may be about an existing file.
    if (key === undefined) checkEnd(expiresAt, 'body')
    if (key === undefined) await checkPath(db, { accountId, vaultId, path, onConflict })
    const conditions = conditionsIn(headers)
    const asking = { principal, key, operation: 'requestUpload', body, part: 'body', conditions } as const
    const { upload, isNew } = await createOrFind(deps, newUpload(wanted, limits), asking)
    if (!isNew && !isOpenTo(principal, upload)) throw notFound()
    return await issueUploadUrl(deps, upload, { isNew, charge })
  })
}
