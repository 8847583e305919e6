import { publicFileBytes } from '@tideport/contracts/public/public-access'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { findPublicFile } from '../downloads/find-public-file.ts'
import { type PublicReadDeps, sendPublicBytes } from '../downloads/send-public-bytes.ts'

/** `GET` and `HEAD` `/api/public/files/:fileId`. */
export function publicFileRoute(deps: PublicReadDeps) {
  return serve(publicFileBytes, async ({ params: { fileId }, request, reply }) => {
    const file = await findPublicFile(deps.db, fileId)
    if (file === null) throw notFound()
    return await sendPublicBytes(deps, { file, entityId: file.id }, { request, reply })
  })
}
