import { readLink } from '@tideport/contracts/public/links'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { toLink } from '../links/link-views.ts'
import { findOwnLink } from '../links/own-links.ts'

/** `GET /api/links/:linkId`. */
export function readLinkRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(readLink, async ({ principal, params }) => {
    const link = await findOwnLink(db, principal.accountId, params.linkId)
    if (link === null) throw notFound()
    return toLink(link)
  })
}
