import { publicBlobBytes } from '@tideport/contracts/public/public-access'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type PublicReadDeps, sendPublicBytes } from '../downloads/send-public-bytes.ts'
import { findPublicBlob } from '../lookups/find-readable-file.ts'

/** `GET` and `HEAD` `/api/public/blobs/:blobId`. Our rows decide; the network is never asked about an unknown id. */
export function publicBlobRoute(deps: PublicReadDeps) {
  return serve(publicBlobBytes, async ({ params: { blobId }, request, reply }) => {
    const found = await findPublicBlob(deps.db, blobId)
    if (found === null) throw notFound()
    return await sendPublicBytes(deps, { found, entityId: blobId }, { request, reply })
  })
}
