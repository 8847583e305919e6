import {
  type NewObject,
  objectContentsApi,
  objectHeader,
  objectLengthHeader,
} from '@tideport/contracts/internal/object-contents'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import { folderPath } from '@tideport/contracts/public/paths'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { confirmSeen } from '@tideport/file-lifecycle/upload/confirm'
import { recordDigests } from '@tideport/file-lifecycle/upload/record-digests'
import { type RouteInput, serve } from '@tideport/service-kit/http/route'
import { bytesOf } from '@tideport/service-kit/http/streamed-body'
import { bodyPace } from '@tideport/service-kit/http/transfer'
import { openDeadline } from '@tideport/service-kit/process/deadline'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import { getBucket } from '../buckets/find-bucket.ts'
import type { InUploadSlot } from '../downloads/cap-streams.ts'
import { type AnnounceDeps, storeQueues } from '../files/announce-work.ts'
import type { OwnVault } from '../lookups/authorized-vault.ts'
import { type CreateDeps, findFault, isTooLarge, madeOf } from '../uploads/new-upload.ts'
import type { ContentLimits } from '../uploads/one-call.ts'
import type { BodyDeps } from '../uploads/read-body.ts'
import { confirmedBy, giveUp, type StoreContentDeps, storeContent } from '../uploads/store-content.ts'
import { keep } from '../vaults/keep-folder.ts'
import { requiredOccupant } from './conditions.ts'
import { findObject } from './find-object.ts'
import { findFolder } from './folder-objects.ts'
import { assertKeyWithin } from './key-limits.ts'
import { createObject, digestColumns, labelsOf, livesOf, objectIn, refusalAtKey, typedHeaders } from './new-file.ts'
import { toFolderObject, toObject } from './object-view.ts'
import { type VerifiedBytes, verifiedBytes } from './verified-bytes.ts'

/** Larger bodies are not kept in memory. */
const SMALL_BYTES = 1024 ** 2

export interface PutObjectDeps extends StoreContentDeps, AnnounceDeps, BodyDeps, CreateDeps {
  limits: ContentLimits
  config: StoreContentDeps['config'] & BodyDeps['config']
  inUploadSlot: InUploadSlot
}

interface Put {
  principal: AccountPrincipal
  vault: OwnVault
  key: string
  object: NewObject
  sizeBytes: number
  ifOccupant: string | null
}

export function putObjectRoute(deps: PutObjectDeps) {
  return serve(objectContentsApi.putObject, async (input) => {
    const { principal, params, query, headers } = input
    const object = objectIn(headers[objectHeader])
    const sizeBytes = Number(headers[objectLengthHeader])
    const vault = await getBucket(deps.db, principal, params.slug)
    assertKeyWithin(principal, query.key, 'write')
    const ifOccupant = await requiredOccupant(deps.db, principal, { vault, key: query.key }, object)
    const put = { principal, vault, key: query.key, object, sizeBytes, ifOccupant }
    try {
      return { object: await storeObject(deps, put, input) }
    } catch (error) {
      throw await refusalAtKey(deps, put, error)
    }
  })
}

type Input = Pick<RouteInput<typeof objectContentsApi.putObject>, 'request'>

async function storeObject(deps: PutObjectDeps, put: Put, input: Input) {
  const { limits, config } = deps
  const { vault, sizeBytes, object } = put
  const { raw } = input.request
  const isSmall = sizeBytes <= Math.min(SMALL_BYTES, limits.directBytes)
  if (!isSmall || isTooLarge(put, limits)) {
    const asked = { vaultId: vault.id, sizeBytes, isOpaque: true, part: 'headers' as const }
    const fault = await findFault(deps.db, vault.accountId, asked, limits)
    if (fault) throw fault
  }
  const stallMs = config.streamStallSeconds * 1000
  const bodyOf = (ms: number, signal: AbortSignal) => verifiedBytes(bytesOf(raw, ms, signal), { ...object, sizeBytes })
  if (!isSmall) return await deps.inUploadSlot(input.request, (cut) => storeStream(deps, put, bodyOf(stallMs, cut)))
  using room = deps.share.open(vault.accountId, bodyPace(raw))
  room.grow(sizeBytes)
  const body = bodyOf(stallMs, room.signal)
  const pieces: Buffer[] = []
  for await (const piece of body.stream) pieces.push(piece)
  const folder = sizeBytes === 0 && (await isFolder(deps, put)) ? await keepFolder(deps, put) : null
  if (folder !== null) return folder
  const columns = digestColumns(body.found(), body.kept())
  const content = { pieces, sizeBytes, sha256: columns.sha256, digests: columns.digests }
  const upload = await createObject(deps, put, { ...described(put), ...madeOf(content, config), ...columns })
  const { file } = await storeContent(deps, upload, content, { mayComeAgain: false })
  return announced(deps, file)
}

const described = ({ object }: Put) => ({ ...typedHeaders(object), labels: labelsOf(object), encryption: null })

function announced(deps: PutObjectDeps, file: FileRow) {
  deps.announce(file.id, storeQueues(deps.networks.required))
  return toObject(file)
}

/**
 * Sends the bytes to the store while they arrive. The store keeps nothing of a body that is cut off or wrong. A stop of
 * the process waits for the body.
 */
async function storeStream(deps: PutObjectDeps, put: Put, body: VerifiedBytes) {
  const { sizeBytes } = put
  const { expirySeconds, ...lives } = livesOf(sizeBytes, deps.config)
  const upload = await createObject(deps, put, { ...described(put), ...lives, expirySeconds, sizeBytes })
  try {
    using limit = openDeadline(expirySeconds * 1000)
    const sent = { stream: body.stream, sizeBytes }
    await deps.hotTier.putStream(upload.uploadKey, upload.mimeType, sent, limit.signal)
    await failpoint('content.after-put')
    const recorded = await recordDigests(deps.db, upload, digestColumns(body.found(), body.kept()))
    const { file } = confirmedBy(await confirmSeen({ ...deps, ...deps.config }, recorded))
    await failpoint('content.after-commit')
    return announced(deps, file)
  } catch (error) {
    await giveUp(deps, upload)
    throw error
  }
}

/** A marker of a folder, unless it has anything that a kept folder cannot have, or a file has its key. */
async function isFolder({ db }: PutObjectDeps, { vault, key, object, ifOccupant }: Put): Promise<boolean> {
  const { headers, metadata, tags } = object
  const isBare = [headers, metadata, tags ?? {}].every((all) => Object.keys(all).length === 0)
  const isMarker = key.endsWith('/') && folderPath.safeParse(key).data === key && isBare && ifOccupant === null
  return isMarker && (await findObject(db, vault, key)) === null
}

/** Null: the vault keeps the maximum number of folders, so the marker becomes a file. */
async function keepFolder(deps: PutObjectDeps, { vault, key }: Put) {
  const place = { accountId: vault.accountId, vaultId: vault.id, path: key }
  if (!(await deps.db.transaction().execute((trx) => keep(trx, place)))) return null
  const folder = await findFolder(deps.db, vault, key)
  return folder && toFolderObject(folder)
}
