import { bytesClaim, objectHeader, objectLengthHeader } from '@tideport/contracts/internal/object-contents'
import { objectUploadsApi } from '@tideport/contracts/internal/object-uploads'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { listParts } from '@tideport/file-lifecycle/upload/open-parts'
import { beginOpenUpload } from '@tideport/file-lifecycle/upload/upload-urls'
import type { Batching } from '@tideport/service-kit/batching/batching'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { bytesOf } from '@tideport/service-kit/http/streamed-body'
import { AppError } from '@tideport/service-kit/process/app-error'
import { getBucket } from '../../buckets/find-bucket.ts'
import type { FilesConfig } from '../../config.ts'
import { preconditionFailed } from '../../files/file-fields.ts'
import type { PurgeNow } from '../../files/purge-now.ts'
import { abortOwnUpload } from '../../trash/delete-file.ts'
import type { CreateDeps } from '../../uploads/new-upload.ts'
import { callerOf } from '../../uploads/routes.ts'
import { assertKeyWithin } from '../key-limits.ts'
import { createObject, labelsOf, typedHeaders } from '../new-file.ts'
import { verifiedBytes } from '../verified-bytes.ts'
import { completeObjectUploadRoute } from './complete-upload.ts'
import { copyObjectPartRoute } from './copy-part.ts'
import { getOpenUpload } from './find-upload.ts'
import { listObjectUploadsRoute } from './list-uploads.ts'
import { type ReceivePartDeps, receivePart, sendVerified } from './receive-part.ts'
import { assertSameDigest, chosenDigest, DEFAULT_DIGEST, digestOf, shownDigests } from './upload-digest.ts'

/** As long as clients of S3 expect an upload to wait for its next part. */
const EXPIRY_SECONDS = 7 * 86_400
/** Longer than a store takes to begin an upload. */
const STORE_ANSWERS_SECONDS = 60

type Deps = Omit<ReceivePartDeps, 'config'> &
  CreateDeps &
  Omit<Parameters<typeof completeObjectUploadRoute>[0], 'config'> & {
    config: FilesConfig
    batching: Batching
    purgeNow: PurgeNow
  }

export function objectUploadRoutes(deps: Deps) {
  const asCaller = callerOf(deps.batching)
  return {
    createObjectUpload: asCaller(createObjectUploadRoute(deps)),
    putObjectPart: putObjectPartRoute(deps),
    copyObjectPart: copyObjectPartRoute(deps),
    listObjectParts: listObjectPartsRoute(deps),
    completeObjectUpload: asCaller(completeObjectUploadRoute(deps)),
    abortObjectUpload: abortObjectUploadRoute(deps),
    listObjectUploads: listObjectUploadsRoute(deps),
  } satisfies Partial<RoutesOf<'files'>>
}

/** The ID of the upload is that of the file that it will be. */
function createObjectUploadRoute(deps: Deps) {
  const { db, hotTier, writes, config } = deps
  const settledAfterSeconds = STORE_ANSWERS_SECONDS + config.settleSeconds
  return serve(objectUploadsApi.createObjectUpload, async ({ principal, params, query: { key }, body }) => {
    const vault = await getBucket(db, principal, params.slug)
    assertKeyWithin(principal, key, 'write')
    const uploadDigest = chosenDigest(body)
    const described = { ...typedHeaders(body), labels: labelsOf(body), encryption: null, uploadDigest }
    const lives = { expirySeconds: EXPIRY_SECONDS, settledAfterSeconds }
    const placed = { principal, vault, key, ifOccupant: null }
    const upload = await createObject(deps, placed, { ...described, ...lives, form: 'open', sizeBytes: 0 })
    await beginOpenUpload({ hotTier, writes, config }, upload)
    return { uploadId: upload.id, ...digestOf({ uploadDigest }) }
  })
}

function putObjectPartRoute(deps: Deps) {
  const stallMs = deps.config.streamStallSeconds * 1000
  return serve(objectUploadsApi.putObjectPart, async (input) => {
    const { principal, params, headers, request, signal } = input
    const claim = claimIn(headers[objectHeader])
    const sizeBytes = Number(headers[objectLengthHeader])
    const { upload } = await getOpenUpload(deps.db, input)
    const kind = digestOf(upload)
    assertSameDigest(kind, [...Object.keys(claim.digests), ...claim.wanted])
    const wanted = [...claim.wanted, kind.digestAlgorithm ?? DEFAULT_DIGEST]
    const part = { principal, upload, partNumber: params.partNumber, sizeBytes, signal }
    return await receivePart(deps, part, async (sending) => {
      const bytes = bytesOf(request.raw, stallMs, sending.signal)
      const body = verifiedBytes(bytes, { ...claim, wanted, sizeBytes })
      return await sendVerified(deps, upload, { ...body, sizeBytes }, sending)
    })
  })
}

/** Throws 400. */
function claimIn(header: string) {
  try {
    return bytesClaim.parse(JSON.parse(Buffer.from(header, 'base64url').toString()))
  } catch (cause) {
    throw new AppError('validation_failed', 'The description of the part is invalid', { cause })
  }
}

function listObjectPartsRoute({ db }: Deps) {
  return serve(objectUploadsApi.listObjectParts, async (input) => {
    const { upload } = await getOpenUpload(db, input)
    const { parts, isTruncated } = await listParts(db, upload.id, input.query)
    const kind = digestOf(upload)
    const listed = parts.map(({ partNumber, sizeBytes, md5, digests, updatedAt }) => ({
      ...{ partNumber, sizeBytes, etag: md5, digests: shownDigests(kind, digests) },
      lastModified: updatedAt.toISOString(),
    }))
    return { parts: listed, isTruncated, ...kind }
  })
}

function abortObjectUploadRoute(deps: Deps) {
  return serve(objectUploadsApi.abortObjectUpload, async (input) => {
    const { upload } = await getOpenUpload(deps.db, input)
    const { initiated } = input.query
    if (initiated !== undefined && !isBegunAt(upload, initiated)) throw preconditionFailed(null)
    const { id: fileId, accountId } = upload
    await abortOwnUpload(deps, { fileId, accountId })
    deps.purgeNow(fileId)
    return {}
  })
}

/** In the precision of HTTP dates. As in S3, times in the future mean nothing. */
function isBegunAt({ createdAt }: FileRow, time: string): boolean {
  const [begun, asked, now] = [createdAt, time, Date.now()].map((at) => Math.floor(new Date(at).getTime() / 1000))
  return begun === asked || (asked ?? 0) > (now ?? 0)
}
