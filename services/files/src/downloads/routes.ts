import { readContent } from '@tideport/contracts/public/content'
import { download, downloadFile, signedDownload } from '@tideport/contracts/public/downloads'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { TakeBytes } from '../calls/key-byte-quota.ts'
import { findLiveFile, findOwnPath, getOwnFile } from '../lookups/find-file.ts'
import { type DownloadDeps, downloadTarget, hasExpired, isSignedDownload } from './download-target.ts'
import { type SendDeps, sendBytes } from './send-file.ts'

interface Deps extends SendDeps, DownloadDeps {
  takeBytes: TakeBytes
}

export function downloadRoutes(deps: Deps) {
  return {
    readContent: readContentRoute(deps),
    downloadFile: downloadFileRoute(deps),
    signedDownload: signedDownloadRoute(deps),
  } satisfies Partial<RoutesOf<'files'>>
}

/** `GET` and `HEAD` `/api/vaults/:vaultId/content/*path`. The file at a path may change, so caches revalidate. */
function readContentRoute(deps: Deps) {
  return serve(readContent, async ({ principal, params, query, request, reply }) => {
    const found = await findOwnPath(deps.db, { accountId: principal.accountId, ...params })
    const take = (bytes: number) => deps.takeBytes(principal, bytes)
    if (found === null) throw notFound()
    const { file, seenAt } = found
    const sizeBytes = request.method === 'HEAD' ? 0 : file.sizeBytes
    if (query.download)
      return reply.send(download.parse(await downloadTarget(deps, { ...file, seenAt }, () => take(sizeBytes))))
    return await sendBytes(
      deps,
      { found, entityId: file.id, cacheControl: 'private, no-cache', beforehand: take },
      { request, reply },
    )
  })
}

/** `GET /api/files/:fileId/download`. */
function downloadFileRoute(deps: Deps) {
  return serve(downloadFile, async ({ principal, params, query, request }) => {
    const file = await getOwnFile(deps.db, principal.accountId, params.fileId)
    if (file.status === 'uploading')
      throw new AppError('not_downloadable', 'The upload is not confirmed yet. Confirm the upload first.')
    const sizeBytes = request.method === 'HEAD' ? 0 : file.sizeBytes
    return await downloadTarget(deps, file, () => deps.takeBytes(principal, sizeBytes), query.disposition)
  })
}

/**
 * `GET` and `HEAD` `/api/downloads/:fileId?expires=…&signature=…`: the URL is the permission. All invalid URLs return
 * the same 404.
 */
function signedDownloadRoute(deps: Deps) {
  return serve(signedDownload, async ({ params: { fileId }, query, request, reply }) => {
    if (!isSignedDownload(deps.config.downloadTokenKeys, fileId, query)) throw notFound()
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
