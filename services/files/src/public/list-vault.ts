import { orderOf } from '@tideport/contracts/public/paths'
import { publicVault } from '@tideport/contracts/public/public-access'
import { isBelow } from '@tideport/file-lifecycle/state/queries'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { type ShowDeps, showFiles, toPublicFile } from '@tideport/file-lifecycle/views/file-views'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { sql } from 'kysely'
import { readPage } from '../lists/list-page.ts'
import { readFolders } from '../lists/read-folders.ts'
import { walkFiles } from '../lists/walk-files.ts'
import { isShown } from '../lookups/find-file.ts'
import { findPublicVault, isIn } from '../lookups/seen-vault.ts'

/** `GET /api/public/vaults/:userId/:vaultSlug`. A private vault is as missing as any other. */
export function publicVaultRoute(shown: ShowDeps) {
  const { db } = shown
  return serve(publicVault, async ({ params: { userId, vaultSlug }, query, charge }) => {
    const vault = await findPublicVault(db, userId, vaultSlug)
    if (vault === null) throw notFound()
    const { id, name, description, slug } = vault
    const { cursor, limit, prefix, delimiter } = query
    const page = { cursor, limit, ...orderOf(query) }
    const named = { reader: 'anyone', list: 'public vault', userId, vaultSlug, prefix }
    const read = async () => {
      if (delimiter !== undefined) {
        return await readFolders(db, {
          page,
          named,
          vault,
          prefix,
          isWanted: isShown,
          isKeptSeen: sql`true`,
          charge,
        })
      }
      const isPlaced = prefix === undefined ? sql`true` : isBelow(prefix)
      const inOrder = page.sortBy === 'path' ? isPlaced : sql`true`
      const walk = {
        lanes: [{ where: sql`${isIn(vault)} and deleted_at is null and purging_at is null and ${inOrder}` }],
        isWanted: sql`${isShown} and ${isPlaced}`,
      }
      return await readPage<FileRow>(db, page, named, (keyset) => walkFiles(walk, keyset))
    }
    const { rows, ...others } = await read()
    return { vault: { id, name, description, slug }, files: await showFiles(shown, rows, toPublicFile), ...others }
  })
}
