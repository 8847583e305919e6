import { setImmediate } from 'node:timers/promises'
import { PART_URLS_MAX, type putHeaders } from '@tideport/contracts/public/upload-part'
import { expiryOf, type HotTier } from '@tideport/hot-tier/hot-tier'
import type { UploadedPart } from '@tideport/hot-tier/write-object'
import { currentCause } from '@tideport/service-kit/context/request-context'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql } from 'kysely'
import type { z } from 'zod'
import type { Guarded } from '../state/guarded-update.ts'
import { isLive } from '../state/queries.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { manyFiles } from '../state/transitions.ts'
import type { Writes } from '../state/writes.ts'

/** URLs that one account signs before other accounts continue. */
const BATCH = 20
/** This many URLs cost as much as a request. */
const URLS_A_REQUEST = 50

export interface UploadUrlDeps {
  db: Kysely<FilesDb>
  hotTier: HotTier
  /** Waits until the account may proceed. */
  slowCalls: { run<T>(accountId: string, work: () => Promise<T>): Promise<T> }
  writes: Writes
  config: { uploadUrlSeconds: number; settleSeconds: number }
}

interface SignedParts {
  fileId: string
  method: 'PUT'
  headers: z.output<typeof putHeaders>
  expiresAt: string
  parts: (PartPlace & { uploadUrl: string })[]
}

interface AskedParts {
  partNumbers: number[]
  charge: (requests: number) => void
}

/**
 * Issues a URL, and begins the upload at the store if needed. Lives count from the database's clock. Throws 404 for an
 * aborted upload, 409 for one that is being or was confirmed.
 */
export async function issueUploadUrl(
  deps: UploadUrlDeps,
  upload: FileRow,
  { isNew, charge }: Pick<AskedParts, 'charge'> & { isNew: boolean },
) {
  const count = Math.min(partCount(upload), PART_URLS_MAX)
  const asked = { partNumbers: Array.from({ length: count }, (_, index) => index + 1), charge }
  // A new row contains everything for a single PUT.
  const isReady = isNew && upload.uploadForm === 'once'
  const { parts, ...issued } = await (isReady ? signParts(deps, upload, asked) : issuePartUrls(deps, upload, asked))
  const uploadUrl = parts[0]?.uploadUrl ?? ''
  return { ...issued, uploadUrl, ...(upload.partSizeBytes !== null && { parts }) }
}

export async function issuePartUrls(deps: UploadUrlDeps, upload: FileRow, asked: AskedParts): Promise<SignedParts> {
  const isBegun = upload.uploadForm !== 'parts' || upload.uploadId !== null
  const open = !isBegun ? await begin(deps, upload) : await reopen(deps, upload)
  return await signParts(deps, open, asked)
}

async function begin(deps: UploadUrlDeps, upload: FileRow): Promise<FileRow> {
  const recorded = await beginAtStore(deps, upload, deps.config.uploadUrlSeconds)
  // A repeated request began the upload twice. The first one counts, and the cleanup aborts the other.
  return recorded ?? (await reopen(deps, upload))
}

/** Begins an upload whose parts come through this service, so it needs no URLs. Throws 404 if it has been aborted. */
export async function beginOpenUpload(
  deps: Pick<UploadUrlDeps, 'hotTier' | 'writes' | 'config'>,
  upload: FileRow,
): Promise<void> {
  if ((await beginAtStore(deps, upload, 0)) === null) throw notFound()
}

/** Null: the upload has begun already, or was aborted. */
async function beginAtStore(
  { hotTier, writes, config }: Pick<UploadUrlDeps, 'hotTier' | 'writes' | 'config'>,
  upload: FileRow,
  urlSeconds: number,
): Promise<FileRow | null> {
  const uploadId = await hotTier.beginUpload(upload.uploadKey, upload.mimeType)
  return await recordUploadId(writes, upload, { uploadId, urlSeconds, settleSeconds: config.settleSeconds })
}

async function reopen({ db, config }: UploadUrlDeps, { id }: FileRow): Promise<FileRow> {
  const lives = { urlSeconds: config.uploadUrlSeconds, settleSeconds: config.settleSeconds }
  const open = await recordUrl(db, id, lives)
  if (open) return open
  const { rows } = await sql<Pick<FileRow, 'status'>>`
    select status from file where id = ${id} and ${isLive}`.execute(db)
  const [file] = rows
  if (file === undefined) throw notFound()
  if (file.status === 'uploading') {
    throw new AppError('upload_in_progress', 'The upload is being confirmed', { details: { fileId: id } })
  }
  throw new AppError('state_conflict', 'The upload was confirmed already', { details: { fileId: id } })
}

/** Call right after the row is written, because the lives of the URLs count from then. */
async function signParts(deps: UploadUrlDeps, open: FileRow, { partNumbers, charge }: AskedParts) {
  charge(Math.floor(partNumbers.length / URLS_A_REQUEST))
  if (open.uploadForm === 'once') return await signWhole(deps, open)
  const sign = () => signEach(deps, open, partNumbers)
  return await (partNumbers.length > BATCH ? deps.slowCalls.run(open.accountId, sign) : sign())
}

async function signEach(
  { hotTier, config: { uploadUrlSeconds } }: UploadUrlDeps,
  open: FileRow,
  partNumbers: number[],
): Promise<SignedParts> {
  const { uploadKey: key, uploadId, mimeType, updatedAt: signedAt } = open
  if (uploadId === null) throw notFound()
  const shared = { key, uploadId, mimeType, expiresSeconds: uploadUrlSeconds, signedAt }
  const parts: SignedParts['parts'] = []
  for (const partNumber of partNumbers) {
    const place = placeOfPart(open, partNumber)
    const { sizeBytes } = place
    parts.push({ ...place, uploadUrl: await hotTier.presignPart({ ...shared, partNumber, sizeBytes }) })
    if (parts.length % BATCH === 0) await setImmediate()
  }
  return signed(open, { 'Content-Type': mimeType }, uploadUrlSeconds, parts)
}

/** One PUT, which creates the object (docs/explain/life-of-a-file.md §3). */
async function signWhole(
  { hotTier, config: { uploadUrlSeconds } }: UploadUrlDeps,
  open: FileRow,
): Promise<SignedParts> {
  const { uploadKey: key, mimeType, sizeBytes, updatedAt: signedAt } = open
  const object = { key, mimeType, sizeBytes, expiresSeconds: uploadUrlSeconds, signedAt }
  const uploadUrl = await hotTier.presignObject(object)
  const headers = { 'Content-Type': mimeType, 'Content-Length': String(sizeBytes), 'If-None-Match': '*' } as const
  return signed(open, headers, uploadUrlSeconds, [{ ...placeOfPart(open, 1), uploadUrl }])
}

function signed(
  { id, updatedAt }: FileRow,
  headers: SignedParts['headers'],
  lifeSeconds: number,
  parts: SignedParts['parts'],
): SignedParts {
  return { fileId: id, method: 'PUT', headers, expiresAt: expiryOf(updatedAt, lifeSeconds).toISOString(), parts }
}

type Upload = Pick<FileRow, 'sizeBytes' | 'partSizeBytes'>

export interface PartPlace {
  partNumber: number
  offsetBytes: number
  sizeBytes: number
}

/** A plain upload is part 1; an empty file is one part of 0 bytes. */
export function partCount({ sizeBytes, partSizeBytes }: Upload): number {
  return partSizeBytes === null ? 1 : Math.max(1, Math.ceil(sizeBytes / partSizeBytes))
}

/** `partNumber`: 1 to `partCount`. */
export function placeOfPart({ sizeBytes, partSizeBytes }: Upload, partNumber: number): PartPlace {
  const fullBytes = partSizeBytes ?? sizeBytes
  const offsetBytes = (partNumber - 1) * fullBytes
  return { partNumber, offsetBytes, sizeBytes: Math.min(fullBytes, sizeBytes - offsetBytes) }
}

/** Whether parts are missing, or differ from the announced ones. */
export function compareParts(upload: Upload, parts: UploadedPart[]): 'incomplete' | 'mismatch' | null {
  const count = partCount(upload)
  const areAsAnnounced = parts.every(
    ({ partNumber, sizeBytes }) => partNumber <= count && placeOfPart(upload, partNumber).sizeBytes === sizeBytes,
  )
  if (!areAsAnnounced) return 'mismatch'
  return parts.length < count ? 'incomplete' : null
}

/** Clean-up follows all requests that may still run. */
const cleanupAfter = sql`greatest(cleanup_after, now() + make_interval(secs => given_seconds))`

const recording = manyFiles<Guarded & { uploadId: string; seconds: number }>({
  waitsWith: ({ file }) => file.id,
  change: () => ({
    from: ['uploading'],
    inTrashToo: true,
    given: { upload_id: ['text', ({ uploadId }) => uploadId], seconds: ['integer', ({ seconds }) => seconds] },
    set: { uploadId: sql`given_upload_id`, cleanupAfter },
    events: [],
  }),
})

/** Records the store's ID of the upload; `cleanup_after` counts from the expiry of the URL. */
export function recordUploadId(
  writes: Writes,
  file: FileRow,
  { uploadId, urlSeconds, settleSeconds }: { uploadId: string; urlSeconds: number; settleSeconds: number },
): Promise<FileRow | null> {
  return writes.write(recording, { file, uploadId, seconds: urlSeconds + settleSeconds, cause: currentCause() })
}

const completing = manyFiles<Guarded & { seconds: number }>({
  waitsWith: ({ file }) => file.id,
  change: () => ({
    from: ['uploading'],
    given: { seconds: ['integer', ({ seconds }) => seconds] },
    set: { completingAt: sql`coalesce(completing_at, now())`, cleanupAfter },
    isUnawaited: true,
    events: [],
  }),
})

/**
 * From here the store may complete the upload, so nothing else may end it. Each confirm repeats this and extends
 * `cleanup_after`. `isOverdue`: the first completion began longer ago than a store may take.
 */
export async function beginCompleting(
  writes: Writes,
  file: FileRow,
  { settleSeconds, lostSeconds }: { settleSeconds: number; lostSeconds: number },
): Promise<{ file: FileRow; isOverdue: boolean } | null> {
  const begun = await writes.write(completing, { file, seconds: settleSeconds, cause: currentCause() })
  if (begun === null) return null
  // Both from the database's clock.
  const elapsedMs = begun.updatedAt.getTime() - (begun.completingAt ?? begun.updatedAt).getTime()
  return { file: begun, isOverdue: elapsedMs >= lostSeconds * 1000 }
}

/** Records another URL, signed as of `updatedAt`; `cleanup_after` counts from its expiry. */
export async function recordUrl(
  db: Kysely<FilesDb>,
  fileId: string,
  { urlSeconds, settleSeconds }: { urlSeconds: number; settleSeconds: number },
): Promise<FileRow | null> {
  const result = await sql<FileRow>`
    update file set version = version + 1, updated_at = now(),
      cleanup_after = greatest(cleanup_after, now() + make_interval(secs => ${urlSeconds + settleSeconds}))
    where id = ${fileId} and status = 'uploading'
      and (upload_id is not null and upload_form = 'parts' or upload_form = 'once')
      and completing_at is null and purging_at is null
    returning *`.execute(db)
  return result.rows[0] ?? null
}

/**
 * Opens the upload again for a client that still writes. Guarded by the completion that noticed it, in milliseconds as
 * in JavaScript dates.
 */
export async function reopenUpload(db: Kysely<FilesDb>, file: FileRow): Promise<void> {
  await sql`
    update file set completing_at = null, version = version + 1, updated_at = now()
    where id = ${file.id} and status = 'uploading'
      and date_trunc('milliseconds', completing_at) = ${file.completingAt}`.execute(db)
}
