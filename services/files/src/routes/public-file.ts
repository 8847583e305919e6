import { publicFileBytes } from '@tideport/contracts/public/public-access'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type PublicReadDeps, sendPublicBytes } from '../downloads/send-public-bytes.ts'
import { findPublicFile } from '../lookups/find-readable-file.ts'

/** `GET` and `HEAD` `/api/public/files/:fileId`. */
export function publicFileRoute(deps: PublicReadDeps) {
  return serve(publicFileBytes, async ({ params: { fileId }, request, reply }) => {
    const found = await findPublicFile(deps.db, fileId)
    if (found === null) throw notFound()
    return await sendPublicBytes(deps, { found, entityId: found.file.id }, { request, reply })
  })
}
