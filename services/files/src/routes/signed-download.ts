import { signedDownload } from '@tideport/contracts/public/files'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { FilesConfig } from '../config.ts'
import { hasExpired, isSignedDownload } from '../downloads/download-signature.ts'
import { type SendDeps, sendBytes } from '../downloads/send-bytes.ts'
import { findLiveFile } from '../lookups/find-live-file.ts'

interface Deps extends SendDeps {
  config: Pick<FilesConfig, 'downloadTokenKeys'>
}

/**
 * `GET` and `HEAD` `/api/downloads/:fileId?expires=…&signature=…`: the URL is the permission. One that is expired,
 * tampered with, or for a file thrown away since, is the same 404 as one for a file that never was.
 */
export function signedDownloadRoute({ config, ...deps }: Deps) {
  return serve(signedDownload, async ({ params: { fileId }, query, request, reply }) => {
    if (!isSignedDownload(config.downloadTokenKeys, fileId, query)) throw notFound()
    const found = await findLiveFile(deps.db, fileId)
    // By the database's clock, which also issued it.
    if (found === null || found.file.status === 'uploading' || hasExpired(query, found.seenAt)) throw notFound()
    return await sendBytes(
      deps,
      { found, entityId: found.file.id, cacheControl: 'private, no-store', disposition: query.disposition },
      { request, reply },
    )
  })
}
