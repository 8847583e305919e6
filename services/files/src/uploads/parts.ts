import { listUploadedParts, renewUploadUrls } from '@tideport/contracts/public/uploads'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { issuePartUrls, partCount, type UploadUrlDeps } from '@tideport/file-lifecycle/upload/upload-urls'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { invalidInput } from '@tideport/service-kit/http/invalid-input'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { isOpenTo } from '../calls/enforce-key-limits.ts'
import type { SlowCalls } from '../calls/slow-calls.ts'
import { findOwnFile } from '../lookups/find-file.ts'

/** `POST /api/files/:fileId/upload-urls`: earlier URLs stay valid until they expire. */
export function renewUploadUrlsRoute(deps: UploadUrlDeps) {
  return serve(renewUploadUrls, async ({ principal, params, body, charge }) => {
    const upload = await findOwnFile(deps.db, principal.accountId, params.fileId)
    if (upload === null || !isOpenTo(principal, upload)) throw notFound()
    assertPlanned(upload)
    const partNumbers = [...new Set(body.partNumbers)]
    const count = partCount(upload)
    if (partNumbers.some((partNumber) => partNumber > count)) {
      const issues = [{ path: 'partNumbers', message: `Must be between 1 and ${count}` }]
      throw invalidInput('body', issues)
    }
    return await issuePartUrls(deps, upload, { partNumbers, charge })
  })
}

/** Throws 409 for an upload whose parts are not known beforehand. */
function assertPlanned({ uploadForm, status, id }: FileRow): void {
  if (uploadForm !== 'open' || status !== 'uploading') return
  const sentence = 'The upload was started through the S3 API. Continue it there.'
  throw new AppError('state_conflict', sentence, { details: { fileId: id } })
}

/** This many parts cost as much as a request. */
const PARTS_A_REQUEST = 100

interface Deps {
  db: Kysely<FilesDb>
  hotTier: HotTier
  slowCalls: SlowCalls
}

/** `GET /api/files/:fileId/parts`: for clients that resume. */
export function listUploadedPartsRoute({ db, hotTier, slowCalls }: Deps) {
  return serve(listUploadedParts, async ({ principal, params, charge }) => {
    const upload = await findOwnFile(db, principal.accountId, params.fileId)
    if (upload === null || !isOpenTo(principal, upload)) throw notFound()
    assertPlanned(upload)
    if (upload.status !== 'uploading') throw new AppError('state_conflict', 'The upload is already confirmed')
    if (upload.completingAt !== null) throw new AppError('upload_in_progress', 'The upload is being confirmed')
    const list = () => partsAtStore(hotTier, upload)
    const parts = await (upload.partSizeBytes === null ? list() : slowCalls.run(upload.accountId, list))
    if (parts === null) throw new AppError('upload_lost', 'The object storage has lost the upload. Start a new upload.')
    charge(Math.floor(parts.length / PARTS_A_REQUEST))
    return {
      partSizeBytes: upload.partSizeBytes,
      partCount: partCount(upload),
      parts: parts.map(({ partNumber, sizeBytes }) => ({ partNumber, sizeBytes })),
    }
  })
}

/** Null: the store has lost the upload. */
async function partsAtStore(hotTier: HotTier, { uploadForm, uploadKey, uploadId, sizeBytes: wanted }: FileRow) {
  if (uploadForm === 'parts') return uploadId === null ? [] : await hotTier.listParts(uploadKey, uploadId)
  const sizeBytes = await hotTier.head(uploadKey, { sizeBytes: wanted })
  return sizeBytes === null ? [] : [{ partNumber: 1, sizeBytes }]
}
