import { type postContent, putContent } from '@tideport/contracts/public/content'
import { toFile } from '@tideport/file-lifecycle/records/file-views'
import type { Labels } from '@tideport/file-lifecycle/state/labels'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { alone } from '@tideport/file-lifecycle/state/writes'
import { createUpload, type NewUpload } from '@tideport/file-lifecycle/upload/create-upload'
import { type Route, type RouteInput, serve } from '@tideport/service-kit/http/route'
import { bodyPace } from '@tideport/service-kit/http/transfer'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { ByteShare } from '@tideport/service-kit/process/byte-share'
import type { Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import { findMadeBefore } from '../calls/confine.ts'
import { createOnce } from '../calls/idempotency.ts'
import type { TakeBytes } from '../calls/take-bytes.ts'
import { isUploader, toUploader, uploaderOf } from '../calls/withhold.ts'
import type { FilesConfig } from '../config.ts'
import {
  type ContentLimits,
  type ContentRequest,
  checkForm,
  checkVault,
  encryptionOf,
  refusalOf,
  tooLargeForOneCall,
  typeOf,
} from '../content/check-request.ts'
import { compareDigests, declaredDigests } from '../content/digests.ts'
import { EXPIRY_SECONDS, PUT_SECONDS } from '../content/lives.ts'
import { type Content, readContent } from '../content/read-content.ts'
import { type StoreContentDeps, storeContent } from '../content/store-content.ts'
import { lengthOf, refuseUnlessWhole } from '../content/whole-body.ts'
import { type AnnounceDeps, storeQueues } from '../files/announce-work.ts'
import { checkEnd } from '../files/file-end.ts'
import { placeOf } from '../files/file-place.ts'
import { checkSealed, pairsIn } from '../files/label-fields.ts'
import { showFile } from '../files/show-files.ts'

/** Of fewer bytes all can as well be here before anybody is asked whether they are wanted. */
const SMALL_BYTES = 64 * 1024
interface Deps extends StoreContentDeps, AnnounceDeps {
  share: ByteShare
  takeBytes: TakeBytes
  limits: ContentLimits
  config: Pick<FilesConfig, 'settleSeconds' | 'trashRetentionSeconds' | 'uploadExpirySeconds' | 'streamStallSeconds'>
}

type Input = RouteInput<typeof putContent>

/** `PUT /api/vaults/:vaultId/content/*path` (docs/file-lifecycle.md §3). Nothing is written before all bytes are here. */
export function putContentRoute(deps: Deps): Route<typeof putContent> {
  return serve(putContent, (input) => uploadContent(deps, input))
}

/** `POST` of the same path, the same. */
export function postContentRoute(deps: Deps): Route<typeof postContent> {
  return { ...putContentRoute(deps), endpoint: { ...putContent, method: 'POST' } }
}

async function uploadContent(deps: Deps, input: Input) {
  const { db, networks, share, limits } = deps
  const { tag: tags, sealedMetadata } = input.query
  const labels = { metadata: pairsIn(input.request.query), tags, sealedMetadata }
  const request = { accountId: input.principal.accountId, ...input.params, query: input.query, labels }
  const mimeType = typeOf(input.headers['content-type'])
  refuseUnlessWhole(input.request.raw)
  const declared = declaredDigests(input)
  const lengthBytes = lengthOf(input.request.raw)
  checkForm(request, lengthBytes ?? 0, limits)
  if ((lengthBytes ?? Number.POSITIVE_INFINITY) > SMALL_BYTES) await checkVault(db, request, lengthBytes ?? 0, limits)
  using room = share.open(request.accountId, bodyPace(input.request.raw))
  const stallMs = deps.config.streamStallSeconds * 1000
  const bounds = {
    lengthBytes,
    maxBytes: limits.directBytes,
    stallMs,
    room,
    tooLarge: () => tooLargeForOneCall(limits),
  }
  const content = await readContent(input.request.raw, bounds)
  compareDigests(declared, content.sha256)

  const key = input.headers['idempotency-key']
  const takeBytes = (trx?: Transaction<FilesDb>) => deps.takeBytes(input.principal, content.sizeBytes, trx)
  const madeBefore = (fileId: string) => findMadeBefore(db, input.principal, fileId)
  const uploaderKeyId = uploaderOf(input.principal)
  const upload = await create(deps, request, { mimeType, content, key, uploaderKeyId, takeBytes, madeBefore })
  const isOpen = upload.status === 'uploading'
  const { file, didTransition } = isOpen
    ? await storeContent(deps, upload, content, { mayComeAgain: key !== undefined })
    : { file: upload, didTransition: false }
  if (!didTransition) return await showFile({ db, networks }, file, toFile)
  deps.announce(file.id, storeQueues(networks.required))
  const shown = toFile(file, { copies: [], order: networks.order, blobIdOf: networks.blobIdOf })
  return isUploader(input.principal, file) ? toUploader(shown) : shown
}

interface Wanted {
  mimeType: string
  content: Content
  takeBytes: (trx?: Transaction<FilesDb>) => Promise<void>
  madeBefore: (fileId: string) => Promise<FileRow | null>
  key: string | undefined
  uploaderKeyId: string | null
}

/** The row of the file; by its key, the one that the same request made before. */
async function create(deps: Deps, request: ContentRequest & { labels: Labels }, asked: Wanted): Promise<FileRow> {
  const { db, writes, limits, config } = deps
  const { mimeType, content, key, uploaderKeyId, takeBytes, madeBefore } = asked
  const { accountId, vaultId, path, query, labels } = request
  const { onConflict, autoConfirm, expiresAt: end } = query
  const isIdGiven = query.id != null
  const expiresAt = end === 'never' ? null : end
  const { sizeBytes, sha256 } = content
  if (key === undefined) checkEnd(expiresAt, 'query')
  const encryption = encryptionOf(request)
  if (encryption === undefined) throw await refusalOf(db, request, sizeBytes, limits)
  checkSealed(labels, { isPrivate: encryption !== null, part: 'query' })
  const file = {
    id: query.id ?? uuidv7(),
    isIdGiven,
    accountId,
    vaultId,
    ...placeOf(path),
    onConflict,
    labels,
    mimeType,
    sizeBytes,
    encryption,
    sha256,
    autoConfirm,
    uploaderKeyId,
    ...(expiresAt !== undefined && { expiresAt }),
  }
  const wanted: NewUpload = {
    ...file,
    form: 'direct',
    checksumDeclared: sha256,
    partSizeBytes: null,
    expirySeconds: key === undefined ? EXPIRY_SECONDS : config.uploadExpirySeconds,
    settledAfterSeconds: PUT_SECONDS + config.settleSeconds,
    quotaBytes: limits.quotaBytes,
    openUploadsMax: limits.openUploadsMax,
  }
  const made = { vaultId, path, onConflict, labels, mimeType, sizeBytes, sha256, encryption, autoConfirm, expiresAt }
  const body = isIdGiven ? { id: file.id, ...made } : made
  const outcome =
    key === undefined && !isIdGiven
      ? { created: await takeBytes().then(() => createUpload(writes, wanted)) }
      : await createOnce(
          db,
          { accountId, key, operation: 'putContent', body, resourceId: file.id, isIdGiven, vaultId },
          async (trx) => {
            checkEnd(expiresAt, 'query')
            await takeBytes(trx)
            return await createUpload(alone(trx), wanted)
          },
        )
  const row = 'created' in outcome ? outcome.created : await madeBefore(outcome.createdBefore)
  if (row) return row
  throw 'created' in outcome ? await refusalOf(db, request, sizeBytes, limits) : notFound()
}
