import { downloadFile } from '@tideport/contracts/public/files'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import type { TakeBytes } from '../calls/take-bytes.ts'
import { type DownloadDeps, downloadTarget } from '../downloads/download-target.ts'
import { findOwnFile } from '../lookups/find-live-file.ts'

interface Deps extends DownloadDeps {
  db: Kysely<FilesDb>
  takeBytes: TakeBytes
}

/** `GET /api/files/:fileId/download`. */
export function downloadFileRoute({ db, takeBytes, ...deps }: Deps) {
  return serve(downloadFile, async ({ principal, params, query, request }) => {
    const file = await findOwnFile(db, principal.accountId, params.fileId)
    if (file === null) throw notFound()
    if (file.status === 'uploading') throw new AppError('not_downloadable', 'The upload has not been confirmed yet')
    const sizeBytes = request.method === 'HEAD' ? 0 : file.sizeBytes
    return await downloadTarget(deps, file, () => takeBytes(principal, sizeBytes), query.disposition)
  })
}
