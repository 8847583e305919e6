import { contentOf, copyBytes } from '@tideport/bulk-jobs/operations/copy-files'
import { type CopyRequest, objectContentsApi } from '@tideport/contracts/internal/object-contents'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import type { DigestName } from '@tideport/digests/digest-names'
import { openBytes } from '@tideport/file-lifecycle/copies/open-bytes'
import type { FileCopies } from '@tideport/file-lifecycle/state/file-copies'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { confirmSeen } from '@tideport/file-lifecycle/upload/confirm'
import { recordDigests } from '@tideport/file-lifecycle/upload/record-digests'
import { outsideLimits } from '@tideport/service-kit/http/authorize'
import { serve } from '@tideport/service-kit/http/route'
import { AppError } from '@tideport/service-kit/process/app-error'
import { openDeadline } from '@tideport/service-kit/process/deadline'
import { getBucket, missing } from '../buckets/find-bucket.ts'
import { mayRead } from '../calls/enforce-key-limits.ts'
import { hasBytes } from '../downloads/download-target.ts'
import { storeQueues } from '../files/announce-work.ts'
import type { OwnVault } from '../lookups/authorized-vault.ts'
import { findKey } from '../lookups/find-file.ts'
import { findFault } from '../uploads/new-upload.ts'
import { confirmedBy, giveUp } from '../uploads/store-content.ts'
import { changed, isTagIn, requiredOccupant } from './conditions.ts'
import { assertKeyWithin } from './key-limits.ts'
import { createObject, digestColumns, labelsOf, livesOf, refusalAtKey, typedHeaders } from './new-file.ts'
import { toTags } from './object-tags.ts'
import { toObject } from './object-view.ts'
import type { PutObjectDeps } from './put-object.ts'
import { isStale } from './read-object.ts'
import { verifiedBytes } from './verified-bytes.ts'

interface Copy {
  principal: AccountPrincipal
  vault: OwnVault
  key: string
  ifOccupant: string | null
  found: FileCopies
  request: CopyRequest
}

export function copyObjectRoute(deps: PutObjectDeps) {
  return serve(objectContentsApi.copyObject, async ({ principal, params, query: { key }, body: request, signal }) => {
    const vault = await getBucket(deps.db, principal, params.slug)
    assertKeyWithin(principal, key, 'write')
    const { found, home } = await findSource(deps, principal, request.source)
    checkKinds(found.file, home, vault)
    const ifOccupant = await requiredOccupant(deps.db, principal, { vault, key }, request)
    const copy = { principal, vault, key, ifOccupant, found, request }
    try {
      return { object: await store(deps, copy, signal) }
    } catch (error) {
      throw await refusalAtKey(deps, copy, error)
    }
  })
}

const unreadable = () =>
  outsideLimits('The API key lacks a verb that this request requires', { limit: 'verbs', requiredVerb: 'read' })

/** The file to copy from, and its vault. Throws 404, 412, and 403 for a caller that may not read. */
export async function findSource(
  { db }: Pick<PutObjectDeps, 'db'>,
  principal: AccountPrincipal,
  source: CopyRequest['source'],
) {
  if (!mayRead(principal)) throw unreadable()
  const home = await getBucket(db, principal, source.slug, 'source_bucket')
  assertKeyWithin(principal, source.key, 'read', 'source_key')
  const found = await findKey(db, home.id, source.key)
  if (found === null) throw missing('source_key')
  const { file } = found
  const { ifMatch, ifNoneMatch, ifModifiedSince, ifUnmodifiedSince } = source
  const isWrong =
    isStale({ 'if-match': ifMatch, 'if-unmodified-since': ifUnmodifiedSince } as never, file) ||
    (ifNoneMatch === undefined ? isUnmodified(file, ifModifiedSince) : isTagIn(ifNoneMatch, file))
  if (isWrong) throw changed(principal, file)
  if (!hasBytes(found.file as never)) throw new AppError('content_lost', 'The content of this file is lost')
  return { found, home }
}

function isUnmodified({ confirmedAt, createdAt }: FileRow, since: string | undefined): boolean {
  return since !== undefined && Math.floor((confirmedAt ?? createdAt).getTime() / 1000) <= Date.parse(since) / 1000
}

/** Bytes that a native client encrypted stay in private vaults, because their keys are in the file's row. */
export function checkKinds(file: FileRow, home: OwnVault, vault: OwnVault): void {
  if (home.visibility === vault.visibility || file.wrappedKey === null) return
  const sentence = 'Encrypted files can be copied only to a vault with the same visibility'
  throw new AppError('visibility_mismatch', sentence, { details: { visibility: home.visibility } })
}

async function store(deps: PutObjectDeps, copy: Copy, signal: AbortSignal) {
  const { found, request, vault } = copy
  const { file: source } = found
  const missingDigests = request.wanted.filter((name) => source.digests?.[name] === undefined)
  const asked = { vaultId: vault.id, sizeBytes: source.sizeBytes, isOpaque: true, part: 'body' as const }
  const fault = await findFault(deps.db, vault.accountId, asked, deps.limits)
  if (fault) throw fault
  const lives = livesOf(source.sizeBytes, deps.config)
  const upload = await createObject(deps, copy, { ...contentOf(source), ...replaced(copy), ...lives })
  try {
    using limit = openDeadline(lives.expirySeconds * 1000, signal)
    const stored = await (missingDigests.length === 0
      ? copyBytes(deps, source, upload, limit.signal).then(() => upload)
      : copyHashed(deps, copy, upload, limit.signal))
    const { file } = confirmedBy(await confirmSeen({ ...deps, ...deps.config }, stored))
    deps.announce(file.id, storeQueues(deps.networks.required))
    return toObject(file)
  } catch (error) {
    await giveUp(deps, upload)
    throw error
  }
}

function replaced({ request: { replace, tags }, found: { file } }: Copy) {
  const labels = { metadata: file.metadata, tags: file.tags, sealedMetadata: file.sealedMetadata }
  return {
    ...(replace && typedHeaders(replace)),
    labels: {
      ...labels,
      ...(replace && { metadata: labelsOf({ ...replace, tags: null }).metadata, sealedMetadata: null }),
      ...(tags && { tags: toTags(tags) }),
    },
  }
}

/** Reads the bytes once through this process, for digests that the source does not have. */
async function copyHashed(deps: PutObjectDeps, { found, request }: Copy, upload: FileRow, signal: AbortSignal) {
  const { sizeBytes } = upload
  const { bytes } = await openBytes(deps, found, undefined, signal)
  const wanted: DigestName[] = request.wanted
  const body = verifiedBytes(bytes, { wanted, digests: {}, hasTrailer: false, sizeBytes })
  try {
    if (sizeBytes > 0) {
      await deps.hotTier.putStream(upload.uploadKey, upload.mimeType, { stream: body.stream, sizeBytes }, signal)
    } else {
      await deps.hotTier.store(upload.uploadKey, { mimeType: upload.mimeType, body: body.stream }, signal)
    }
  } finally {
    bytes.destroy()
  }
  return await recordDigests(deps.db, upload, digestColumns(body.found(), body.kept()))
}
