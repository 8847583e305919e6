import { publicContent } from '@tideport/contracts/public/public-access'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type PublicReadDeps, sendPublicBytes } from '../downloads/send-public-bytes.ts'
import { findPublicPath } from '../lookups/find-readable-file.ts'

/** `GET` and `HEAD` `/api/public/vaults/:userId/:vaultSlug/content/*path`. */
export function publicContentRoute(deps: PublicReadDeps) {
  return serve(publicContent, async ({ params, request, reply }) => {
    const found = await findPublicPath(deps.db, params)
    if (found === null) throw notFound()
    return await sendPublicBytes(deps, { found, entityId: found.file.id }, { request, reply })
  })
}
