import { randomUUID } from 'node:crypto'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import {
  dropAttempts,
  longestPartSeconds,
  openCommit,
  type PartAttempt,
  type PartCommit,
  recordPart,
  reservePart,
} from '@tideport/file-lifecycle/upload/open-parts'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { AppError, unavailable } from '@tideport/service-kit/process/app-error'
import { openDeadline } from '@tideport/service-kit/process/deadline'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Kysely } from 'kysely'
import { missing } from '../../buckets/find-bucket.ts'
import type { TakeBytes } from '../../calls/key-byte-quota.ts'
import type { UploadLimits } from '../../uploads/new-upload.ts'
import type { VerifiedBytes } from '../verified-bytes.ts'
import { closedError } from './find-upload.ts'
import { DEFAULT_DIGEST, digestOf, shownDigests } from './upload-digest.ts'

export interface ReceivePartDeps {
  db: Kysely<FilesDb>
  hotTier: HotTier
  takeBytes: TakeBytes
  limits: UploadLimits
  log: Log
  config: { settleSeconds: number }
}

interface Wanted {
  principal: AccountPrincipal
  upload: FileRow
  partNumber: number
  sizeBytes: number
  signal: AbortSignal
}

/** The place of a part at the store, and until when it may take. */
export interface Sending {
  commit: PartCommit
  place: { key: string; uploadId: string; partNumber: number }
  signal: AbortSignal
}

export interface SentPart {
  storeEtag: string
  /** Lower-case hex. */
  md5: string
  digests: Record<string, string>
}

/**
 * Reserves a part, has `send` give it to the store, and records it. Releases the bytes of a part that fails. Throws the
 * errors of `send`, 404, 409 while the upload completes, 403 beyond the quota, and 413.
 */
export async function receivePart(
  deps: ReceivePartDeps,
  { principal, upload, partNumber, sizeBytes, signal }: Wanted,
  send: (sending: Sending) => Promise<SentPart>,
) {
  const { db, limits, log, config } = deps
  if (sizeBytes > limits.largest.put) {
    const details = { maxPartSizeBytes: limits.largest.put }
    throw new AppError('too_large', 'The part is too large', { details })
  }
  const { uploadKey: key, uploadId, id: fileId } = upload
  if (uploadId === null) throw missing('upload')
  await deps.takeBytes(principal, sizeBytes)
  const part = { fileId, partNumber, attempt: randomUUID() }
  await reserve(deps, upload, { ...part, sizeBytes, settleSeconds: config.settleSeconds })
  try {
    using limit = openDeadline(longestPartSeconds(sizeBytes) * 1000, signal)
    using commit = openCommit(db, part)
    const sent = await send({ commit, place: { key, uploadId, partNumber }, signal: limit.signal })
    await failpoint('part.after-store')
    if (!(await recordPart(db, { ...part, ...sent }))) throw await closedError(db, upload)
    const digests = shownDigests(digestOf(upload), sent.digests)
    return { etag: sent.md5, digests, lastModified: new Date().toISOString() }
  } catch (error) {
    // Otherwise the bytes stay reserved until the part is sent again or the upload ends.
    await dropAttempts(db, fileId, [part.attempt]).catch((cause: unknown) =>
      log.warn({ err: cause, fileId }, 'could not release the bytes of a part'),
    )
    throw error
  }
}

async function reserve(
  { db, limits }: ReceivePartDeps,
  upload: FileRow,
  wanted: PartAttempt & { sizeBytes: number; settleSeconds: number },
): Promise<void> {
  const { quotaBytes, largest } = limits
  const outcome = await reservePart(db, { ...wanted, quotaBytes, maxFileBytes: largest.file })
  if (outcome === 'closed') throw await closedError(db, upload)
  if (outcome === 'too_large')
    throw new AppError('too_large', 'The file is too large', { details: { maxSizeBytes: largest.file } })
  if (outcome === 'quota_exceeded')
    throw new AppError('quota_exceeded', 'The part exceeds the quota of the account', { details: { quotaBytes } })
}

/** Sends the bytes to the store while they arrive. Wrong bytes never end at the store. */
export async function sendVerified(
  { db, hotTier }: ReceivePartDeps,
  upload: FileRow,
  body: VerifiedBytes & { sizeBytes: number },
  { commit, place, signal }: Sending,
): Promise<SentPart> {
  const begin = async () => {
    if (!(await commit.begin(signal))) throw await closedError(db, upload)
  }
  const storeEtag = await hotTier.putPart(
    place,
    { stream: beforeLast(body.stream, begin), sizeBytes: body.sizeBytes },
    signal,
  )
  if (storeEtag === null) throw missing('upload')
  const found = body.found()
  const name = digestOf(upload).digestAlgorithm ?? DEFAULT_DIGEST
  const value = found[name]
  const digests = value === undefined ? {} : { [name]: value }
  if (found.md5 === undefined) throw unavailable()
  return { storeEtag, md5: Buffer.from(found.md5, 'base64').toString('hex'), digests }
}

/** Calls `begin` after the stream has ended well, and before its reader gets the last piece. */
async function* beforeLast(stream: AsyncIterable<Buffer>, begin: () => Promise<void>): AsyncGenerator<Buffer> {
  let last: Buffer | undefined
  for await (const piece of stream) {
    if (last) yield last
    last = piece
  }
  await begin()
  if (last) yield last
}
