import { updateVault } from '@tideport/contracts/public/vaults'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql } from 'kysely'
import { toVault } from '../files/views.ts'

/** `PATCH /api/vaults/:vaultId`: name and description. The slug stays, so links do. */
export function updateVaultRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(updateVault, async ({ principal, params, body: { name, description } }) => {
    const row = await db
      .updateTable('vault')
      .set({
        ...(name !== undefined && { name }),
        ...(description !== undefined && { description }),
        updatedAt: sql`now()`,
      })
      .where('id', '=', params.vaultId)
      .where('accountId', '=', principal.accountId)
      .where('deletedAt', 'is', null)
      .returningAll()
      .executeTakeFirst()
    if (row === undefined) throw notFound()
    return toVault(row)
  })
}
