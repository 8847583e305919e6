import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Writes } from '@tideport/file-lifecycle/state/writes'
import { recordUploadId, recordUrl } from '@tideport/file-lifecycle/upload/open-uploads'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import type { SlowCalls } from '../calls/slow-calls.ts'
import type { FilesConfig } from '../config.ts'
import { findOwnFile } from '../lookups/find-live-file.ts'
import { type AskedParts, partsOf, type SignedParts, signParts } from './sign-parts.ts'

export interface UploadUrlDeps {
  db: Kysely<FilesDb>
  hotTier: HotTier
  slowCalls: SlowCalls
  writes: Writes
  config: Pick<FilesConfig, 'uploadUrlSeconds' | 'settleSeconds'>
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
  const asked = { partNumbers: partsOf(upload), charge }
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

async function reopen({ db, config }: UploadUrlDeps, { id, accountId }: FileRow): Promise<FileRow> {
  const lives = { urlSeconds: config.uploadUrlSeconds, settleSeconds: config.settleSeconds }
  const open = await recordUrl(db, id, lives)
  if (open) return open
  const file = await findOwnFile(db, accountId, id)
  if (file === null) throw notFound()
  if (file.status === 'uploading') {
    throw new AppError('upload_in_progress', 'The upload is being confirmed', { details: { fileId: id } })
  }
  throw new AppError('state_conflict', 'The upload was confirmed already', { details: { fileId: id } })
}
