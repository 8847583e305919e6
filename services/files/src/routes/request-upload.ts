import { requestUpload } from '@tideport/contracts/http/files'
import type { HotTier } from '@tideport/file-lifecycle/hot-tier'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/tables'
import { createUpload, recordUploadId } from '@tideport/file-lifecycle/uploads'
import { AppError, notFound } from '@tideport/service-kit/app-error'
import { serve } from '@tideport/service-kit/route'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import type { Kysely } from 'kysely'
import { validate as isUuid } from 'uuid'
import type { FilesConfig } from '../config.ts'
import { encryptionOf } from '../encryption-fields.ts'
import { explainRefusal } from '../explain-refusal.ts'
import { findLiveVault } from '../find-live-vault.ts'
import { expiryOf } from '../url-expiry.ts'

interface Deps {
  db: Kysely<FilesDb>
  hotTier: HotTier
  network: StorageNetwork
  config: Pick<
    FilesConfig,
    | 'uploadUrlSeconds'
    | 'uploadExpirySeconds'
    | 'settleSeconds'
    | 'maxPutBytes'
    | 'maxFileBytes'
    | 'accountQuotaBytes'
    | 'openUploadsMax'
  >
}

/** `POST /api/files/upload` (docs/file-lifecycle.md §3). A failure at the store leaves a row in `uploading`. */
export function requestUploadRoute({ db, hotTier, network, config }: Deps) {
  const maxBytes = Math.min(config.maxPutBytes, config.maxFileBytes, network.maxBlobBytes)
  const limits = { quotaBytes: config.accountQuotaBytes, openUploadsMax: config.openUploadsMax }
  return serve(requestUpload, async ({ principal: { accountId }, body }) => {
    const { name, mimeType, sizeBytes, vaultId } = body
    const vault = isUuid(vaultId) ? await findLiveVault(db, accountId, vaultId) : null
    if (vault === null) throw notFound()
    const encryption = encryptionOf(body, vault.visibility)
    if (sizeBytes > maxBytes) {
      throw new AppError('too_large', 'The file is too large', { details: { maxSizeBytes: maxBytes } })
    }
    const file = { accountId, vaultId: vault.id, name, mimeType, sizeBytes, encryption }
    const upload = await createUpload(db, {
      ...file,
      checksumDeclared: body.checksumSha256?.toLowerCase() ?? null,
      expirySeconds: config.uploadExpirySeconds,
      ...limits,
    })
    if (upload === null) throw await explainRefusal(db, file, limits)
    return await issueUrl({ db, hotTier, config }, upload)
  })
}

/** The URL's life counts from the database's clock, as what settles the upload later does. */
async function issueUrl({ db, hotTier, config }: Omit<Deps, 'network'>, upload: FileRow) {
  const { uploadUrlSeconds: urlSeconds, settleSeconds } = config
  const { uploadKey: key, mimeType, sizeBytes } = upload
  const uploadId = await hotTier.beginUpload(key, mimeType)
  const recorded = await recordUploadId(db, upload, { uploadId, urlSeconds, settleSeconds })
  if (recorded === null) throw notFound()
  const signedAt = recorded.updatedAt
  const part = { key, uploadId, partNumber: 1, mimeType, sizeBytes, expiresSeconds: urlSeconds, signedAt }
  return {
    fileId: upload.id,
    uploadUrl: await hotTier.presignPart(part),
    method: 'PUT' as const,
    headers: { 'Content-Type': mimeType },
    expiresAt: expiryOf(signedAt, urlSeconds).toISOString(),
  }
}
