import { requestUpload } from '@tideport/contracts/public/files'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { alone, type Writes } from '@tideport/file-lifecycle/state/writes'
import { createUpload } from '@tideport/file-lifecycle/upload/create-upload'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { validate as isUuid, v7 as uuidv7 } from 'uuid'
import { findMadeBefore } from '../calls/confine.ts'
import { createOnce } from '../calls/idempotency.ts'
import type { SlowCalls } from '../calls/slow-calls.ts'
import type { TakeBytes } from '../calls/take-bytes.ts'
import { isOpenTo, uploaderOf } from '../calls/withhold.ts'
import type { FilesConfig } from '../config.ts'
import { checkEnd } from '../files/file-end.ts'
import { checkPath, placeOf } from '../files/file-place.ts'
import { checkSealed } from '../files/label-fields.ts'
import { encryptionIn } from '../uploads/encryption-fields.ts'
import { explainRefusal, isTooLarge } from '../uploads/explain-refusal.ts'
import { issueUploadUrl } from '../uploads/issue-upload-url.ts'
import { uploadLimits } from '../uploads/upload-limits.ts'

/** Longer than a store takes to begin an upload; its URL counts from then. */
const STORE_ANSWERS_SECONDS = 60

interface Deps {
  db: Kysely<FilesDb>
  hotTier: HotTier
  networks: Networks
  slowCalls: SlowCalls
  writes: Writes
  takeBytes: TakeBytes
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
export function requestUploadRoute({ db, writes, hotTier, networks, slowCalls, takeBytes, config }: Deps) {
  const limits = uploadLimits(networks, config)
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
    const { path = body.name ?? '', onConflict, mimeType, sizeBytes, vaultId, partSizeBytes = null } = body
    const checksumDeclared = body.checksumSha256?.toLowerCase() ?? null
    const isIdGiven = body.id != null
    const id = body.id ?? uuidv7()
    const form = body.put === 'once' && (await hotTier.canPutOnce()) ? 'once' : 'parts'
    const file = {
      id,
      isIdGiven,
      accountId,
      vaultId,
      ...placeOf(path),
      onConflict,
      labels: body,
      awaitingReview: body.awaitingReview ?? false,
      mimeType,
      sizeBytes,
      partSizeBytes,
      form,
      encryption,
      checksumDeclared,
      autoConfirm: body.autoConfirm ?? false,
      uploaderKeyId: uploaderOf(principal),
      ...(body.expiresAt !== undefined && { expiresAt: body.expiresAt }),
    } as const
    const key = headers['idempotency-key']
    // One that repeats a request may be about the very file that is there.
    if (key === undefined) checkEnd(body.expiresAt, 'body')
    if (key === undefined) await checkPath(db, { accountId, vaultId, path, onConflict })
    const wanted = { ...file, ...lives, quotaBytes: limits.quotaBytes, openUploadsMax: limits.openUploadsMax }
    // Without a key one statement does it all; a transaction around it would cost every upload two more round trips.
    const outcome =
      key === undefined && !isIdGiven
        ? { created: await takeBytes(principal, sizeBytes).then(() => createUpload(writes, wanted)) }
        : await createOnce(
            db,
            { accountId, key, operation: 'requestUpload', body, resourceId: id, isIdGiven, vaultId },
            async (trx) => {
              checkEnd(body.expiresAt, 'body')
              await takeBytes(principal, sizeBytes, trx)
              return await createUpload(alone(trx), wanted)
            },
          )
    const upload = 'created' in outcome ? outcome.created : await findMadeBefore(db, principal, outcome.createdBefore)
    const isNew = 'created' in outcome
    const isOpen = upload !== null && (isNew || isOpenTo(principal, upload))
    if (isOpen) return await issueUploadUrl({ db, writes, hotTier, slowCalls, config }, upload, { isNew, charge })
    throw isNew ? await explainRefusal(db, accountId, { ...body, part: 'body' }, limits) : notFound()
  })
}
