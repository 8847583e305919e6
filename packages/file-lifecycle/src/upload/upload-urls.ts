import { setImmediate } from 'node:timers/promises'
import { PART_URLS_MAX, type putHeaders } from '@tideport/contracts/public/upload-part'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { expiryOf } from '@tideport/hot-tier/presign'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql } from 'kysely'
import type { z } from 'zod'
import { isLive } from '../state/queries.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import type { Writes } from '../state/writes.ts'
import { recordUploadId, recordUrl } from './open-uploads.ts'
import { type PartPlace, partCount, placeOfPart } from './part-layout.ts'

/** Signed without a break; then others get their turn. */
const BATCH = 20
/** So many URLs cost as much as a request. */
const URLS_A_REQUEST = 50

export interface UploadUrlDeps {
  db: Kysely<FilesDb>
  hotTier: HotTier
  /** Runs what takes long when it is the account's turn. */
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
 * A live URL for an upload, which is begun at the store unless it was. The URL's life counts from the database's clock,
 * as what settles the upload later does. Throws 404 when it was aborted, 409 when it is being confirmed or was.
 */
export async function issueUploadUrl(
  deps: UploadUrlDeps,
  upload: FileRow,
  { isNew, charge }: Pick<AskedParts, 'charge'> & { isNew: boolean },
) {
  const count = Math.min(partCount(upload), PART_URLS_MAX)
  const asked = { partNumbers: Array.from({ length: count }, (_, index) => index + 1), charge }
  // What the row says since it was made is all that one PUT needs.
  const isReady = isNew && upload.uploadForm === 'once'
  const { parts, ...issued } = await (isReady ? signParts(deps, upload, asked) : issuePartUrls(deps, upload, asked))
  const uploadUrl = parts[0]?.uploadUrl ?? ''
  return { ...issued, uploadUrl, ...(upload.partSizeBytes !== null && { parts }) }
}

/** The same for parts of the upload: those of `partNumbers`. */
export async function issuePartUrls(deps: UploadUrlDeps, upload: FileRow, asked: AskedParts): Promise<SignedParts> {
  const isBegun = upload.uploadForm !== 'parts' || upload.uploadId !== null
  const open = !isBegun ? await begin(deps, upload) : await reopen(deps, upload)
  return await signParts(deps, open, asked)
}

async function begin(deps: UploadUrlDeps, upload: FileRow): Promise<FileRow> {
  const { hotTier, writes, config } = deps
  const uploadId = await hotTier.beginUpload(upload.uploadKey, upload.mimeType)
  const lives = { urlSeconds: config.uploadUrlSeconds, settleSeconds: config.settleSeconds }
  const recorded = await recordUploadId(writes, upload, { uploadId, ...lives })
  // Begun twice by the same request repeated: the first one counts, settling aborts the other.
  return recorded ?? (await reopen(deps, upload))
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

/** URLs for parts of an upload whose row was just written: their life counts from then. */
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

/** One PUT of all bytes, which makes the object itself (docs/file-lifecycle.md §3). */
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
