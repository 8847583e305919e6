import * as links from '@tideport/contracts/public/links'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Batching } from '@tideport/service-kit/batching/batching'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { type Kysely, sql } from 'kysely'
import type { FilesConfig } from '../config.ts'
import type { Page } from '../lists/list-page.ts'
import { getLiveVault, isIn } from '../lookups/authorized-vault.ts'
import { getOwnFile } from '../lookups/find-file.ts'
import { createDownloadCounter } from './count-downloads.ts'
import { createFileLinkRoute, createFolderLinkRoute } from './create-link.ts'
import { linkPageRoute } from './link-page.ts'
import { toLink } from './link-views.ts'
import { endLink, findOwnLink, listOwnLinks, type OwnLink } from './own-links.ts'
import { createPasswords } from './password.ts'
import { type LinkedBytesDeps, linkContentRoute, linkedContentRoute } from './send-linked-bytes.ts'
import { unlockLinkRoute } from './unlock-link.ts'

interface Deps extends Omit<LinkedBytesDeps, 'downloads'> {
  batching: Batching
  metrics: Metrics
  config: LinkedBytesDeps['config'] & Pick<FilesConfig, 'publicUrl'>
}

export function linkRoutes(shared: Deps) {
  const { db, batching } = shared
  const deps = { ...shared, passwords: createPasswords(), downloads: createDownloadCounter(db, batching) }
  return {
    createFileLink: createFileLinkRoute(deps),
    createFolderLink: createFolderLinkRoute(deps),
    ...ownLinkRoutes(db),
    linkPage: linkPageRoute(deps),
    unlockLink: unlockLinkRoute(deps),
    linkContent: linkContentRoute(deps),
    linkedContent: linkedContentRoute(deps),
  } satisfies Partial<RoutesOf<'files'>>
}

function ownLinkRoutes(db: Kysely<FilesDb>) {
  const toLinks = ({ rows, nextCursor }: Page<OwnLink>) => ({ links: rows.map(toLink), nextCursor })
  return {
    listFileLinks: serve(links.listFileLinks, async ({ principal: { accountId }, params: { fileId }, query }) => {
      await getOwnFile(db, accountId, fileId)
      const which = { named: { reader: accountId, list: 'links', fileId }, where: sql`file_id = ${fileId}` }
      return toLinks(await listOwnLinks(db, query, which))
    }),
    listFolderLinks: serve(links.listFolderLinks, async ({ principal: { accountId }, params: { vaultId }, query }) => {
      const vault = await getLiveVault(db, accountId, vaultId)
      const which = { named: { reader: accountId, list: 'links', vaultId }, where: isIn(vault) }
      return toLinks(await listOwnLinks(db, query, which))
    }),
    // An account has at most LINKS_MAX links, so the query for one key filters all of them.
    listLinks: serve(links.listLinks, async ({ principal: { accountId }, query: { keyId, ...page } }) => {
      const isWanted = keyId === undefined ? sql`true` : sql`key_id = ${keyId}`
      const where = sql`account_id = ${accountId} and ${isWanted}`
      return toLinks(await listOwnLinks(db, page, { named: { reader: accountId, list: 'links', keyId }, where }))
    }),
    readLink: serve(links.readLink, async ({ principal, params }) =>
      shown(await findOwnLink(db, principal.accountId, params.linkId)),
    ),
    // Every request reads the row, so no request that begins after the revocation is served.
    revokeLink: serve(links.revokeLink, async ({ principal, params }) =>
      shown(await endLink(db, principal.accountId, params.linkId)),
    ),
  }
}

function shown(link: OwnLink | null) {
  if (link === null) throw notFound()
  return toLink(link)
}
