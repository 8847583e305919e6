import { readContent } from '@tideport/contracts/public/content'
import { download } from '@tideport/contracts/public/files'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { TakeBytes } from '../calls/take-bytes.ts'
import { type DownloadDeps, downloadTarget } from '../downloads/download-target.ts'
import { type SendDeps, sendBytes } from '../downloads/send-bytes.ts'
import { findOwnPath } from '../lookups/find-readable-file.ts'

/** `GET` and `HEAD` `/api/vaults/:vaultId/content/*path`. What is at a path may change, so caches ask each time. */
export function readContentRoute({ takeBytes, ...deps }: SendDeps & DownloadDeps & { takeBytes: TakeBytes }) {
  return serve(readContent, async ({ principal, params, query, request, reply }) => {
    const found = await findOwnPath(deps.db, { accountId: principal.accountId, ...params })
    const take = (bytes: number) => takeBytes(principal, bytes)
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
