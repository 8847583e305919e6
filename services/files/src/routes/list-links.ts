import { listFileLinks, listFolderLinks, listLinks } from '@tideport/contracts/public/links'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql } from 'kysely'
import { toLink } from '../links/link-views.ts'
import { listOwnLinks } from '../links/own-links.ts'
import { findOwnFile } from '../lookups/find-live-file.ts'
import { findLiveVault, isIn } from '../lookups/seen-vault.ts'

/** `GET /api/files/:fileId/links`. */
export function listFileLinksRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(listFileLinks, async ({ principal: { accountId }, params: { fileId }, query }) => {
    if ((await findOwnFile(db, accountId, fileId)) === null) throw notFound()
    const which = { named: { reader: accountId, list: 'links', fileId }, where: sql`file_id = ${fileId}` }
    const { rows, nextCursor } = await listOwnLinks(db, query, which)
    return { links: rows.map(toLink), nextCursor }
  })
}

/** `GET /api/vaults/:vaultId/links`. */
export function listFolderLinksRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(listFolderLinks, async ({ principal: { accountId }, params: { vaultId }, query }) => {
    const vault = await findLiveVault(db, accountId, vaultId)
    if (vault === null) throw notFound()
    const which = { named: { reader: accountId, list: 'links', vaultId }, where: isIn(vault) }
    const { rows, nextCursor } = await listOwnLinks(db, query, which)
    return { links: rows.map(toLink), nextCursor }
  })
}

/** `GET /api/links`. An account has so many at most that those of one key are looked for among all. */
export function listLinksRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(listLinks, async ({ principal: { accountId }, query: { keyId, ...page } }) => {
    const isWanted = keyId === undefined ? sql`true` : sql`key_id = ${keyId}`
    const which = {
      named: { reader: accountId, list: 'links', keyId },
      where: sql`account_id = ${accountId} and ${isWanted}`,
    }
    const { rows, nextCursor } = await listOwnLinks(db, page, which)
    return { links: rows.map(toLink), nextCursor }
  })
}
