import { revokeLink } from '@tideport/contracts/public/links'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { toLink } from '../links/link-views.ts'
import { endLink } from '../links/own-links.ts'

/** `DELETE /api/links/:linkId`. Every request asks the row, so none that begins later is served. */
export function revokeLinkRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(revokeLink, async ({ principal, params }) => {
    const link = await endLink(db, principal.accountId, params.linkId)
    if (link === null) throw notFound()
    return toLink(link)
  })
}
