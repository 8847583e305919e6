import { publicVault } from '@tideport/contracts/public/public-access'
import type { FileRow, VaultRow } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { sql } from 'kysely'
import { isReadable } from '../downloads/find-public-file.ts'
import { type ShowDeps, showFiles } from '../files/show-files.ts'
import { toPublicFile } from '../files/views.ts'
import { readPage } from '../lists/list-page.ts'
import { walkFiles } from '../lists/walk-files.ts'

/** `GET /api/public/vaults/:userId/:vaultSlug`. A private vault is as missing as any other. */
export function publicVaultRoute(shown: ShowDeps) {
  const { db } = shown
  return serve(publicVault, async ({ params: { userId, vaultSlug }, query }) => {
    const which = sql`vault.visibility = 'public' and vault.deleted_at is null
      and vault.account_id = ${userId} and vault.slug = ${vaultSlug}`
    const ofVault = sql`vault_id = (select vault.id from vault where ${which})`
    const walk = {
      lanes: [{ where: sql`${ofVault} and deleted_at is null and purging_at is null` }],
      isWanted: isReadable,
    }
    const { rows, nextCursor } = await readPage<FileRow>(
      db,
      query,
      { list: 'public vault', userId, vaultSlug },
      (keyset) => walkFiles(walk, keyset),
    )
    const { rows: vaults } = await sql<VaultRow>`select * from vault where ${which}`.execute(db)
    const vault = vaults[0]
    if (vault === undefined) throw notFound()
    const { id, name, description, slug } = vault
    return { vault: { id, name, description, slug }, files: await showFiles(shown, rows, toPublicFile), nextCursor }
  })
}
