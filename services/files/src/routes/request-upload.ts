import { requestUpload } from '@tideport/contracts/public/files'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { HotTier } from '@tideport/file-lifecycle/hot-tier/hot-tier'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { createUpload } from '@tideport/file-lifecycle/upload/uploads'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { validate as isUuid, v7 as uuidv7 } from 'uuid'
import type { FilesConfig } from '../config.ts'
import { findOwnFile } from '../files/find-live-file.ts'
import type { SlowCalls } from '../slow-calls.ts'
import { encryptionOf } from '../uploads/encryption-fields.ts'
import { explainRefusal } from '../uploads/explain-refusal.ts'
import { createOnce } from '../uploads/idempotency.ts'
import { issueUploadUrl } from '../uploads/issue-upload-url.ts'
import { findLiveVault } from '../vaults/find-live-vault.ts'

interface Deps {
  db: Kysely<FilesDb>
  hotTier: HotTier
  networks: Networks
  slowCalls: SlowCalls
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
export function requestUploadRoute({ db, hotTier, networks, slowCalls, config }: Deps) {
  // What one of them does not take would never be complete.
  const taken = networks.required.map((name) => networks.get(name)?.maxBlobBytes ?? Number.POSITIVE_INFINITY)
  const largest = { file: Math.min(config.maxFileBytes, ...taken), put: config.maxPutBytes }
  const limits = { quotaBytes: config.accountQuotaBytes, openUploadsMax: config.openUploadsMax }
  return serve(requestUpload, async ({ principal: { accountId }, headers, body, charge }) => {
    const { name, mimeType, sizeBytes, vaultId } = body
    const vault = isUuid(vaultId) ? await findLiveVault(db, accountId, vaultId) : null
    if (vault === null) throw notFound()
    const encryption = encryptionOf(body, vault.visibility)
    const partSizeBytes = body.partSizeBytes ?? null
    checkSize({ sizeBytes, partSizeBytes }, largest)
    const file = { accountId, vaultId: vault.id, name, mimeType, sizeBytes, partSizeBytes, encryption }
    const checksumDeclared = body.checksumSha256?.toLowerCase() ?? null
    const id = uuidv7()
    const create = (given: Kysely<FilesDb>) =>
      createUpload(given, { id, ...file, checksumDeclared, expirySeconds: config.uploadExpirySeconds, ...limits })
    const key = headers['idempotency-key']
    // Without a key one statement does it all; a transaction around it would cost every upload two more round trips.
    const outcome =
      key === undefined
        ? { created: await create(db) }
        : await createOnce(db, { accountId, key, operation: 'requestUpload', body, resourceId: id }, create)
    const upload = 'created' in outcome ? outcome.created : await findOwnFile(db, accountId, outcome.createdBefore)
    if (upload) return await issueUploadUrl({ db, hotTier, slowCalls, config }, upload, charge)
    throw 'created' in outcome ? await explainRefusal(db, file, limits) : notFound()
  })
}

/** A part is a PUT like any other. Throws 413. */
function checkSize(
  { sizeBytes, partSizeBytes }: { sizeBytes: number; partSizeBytes: number | null },
  largest: { file: number; put: number },
): void {
  const maxSizeBytes = partSizeBytes === null ? Math.min(largest.file, largest.put) : largest.file
  if (sizeBytes > maxSizeBytes) throw new AppError('too_large', 'The file is too large', { details: { maxSizeBytes } })
  if (Math.min(partSizeBytes ?? 0, sizeBytes) > largest.put) {
    throw new AppError('too_large', 'The parts are too large', { details: { maxPartSizeBytes: largest.put } })
  }
}
