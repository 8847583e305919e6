import { restoreVault } from '@tideport/contracts/http/vaults'
import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { restoreVault as takeOutOfTrash } from '@tideport/file-lifecycle/trash-vault'
import { notFound } from '@tideport/service-kit/app-error'
import { serve } from '@tideport/service-kit/route'
import type { Kysely } from 'kysely'
import { findLiveVault } from '../find-live-vault.ts'
import { toVault } from '../views.ts'

/** `POST /api/vaults/:vaultId/restore`. A vault that is not in the trash is answered as it is. */
export function restoreVaultRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(restoreVault, async ({ principal: { accountId }, params: { vaultId } }) => {
    const vault = (await takeOutOfTrash(db, { accountId, vaultId })) ?? (await findLiveVault(db, accountId, vaultId))
    if (vault === null) throw notFound()
    return toVault(vault)
  })
}
