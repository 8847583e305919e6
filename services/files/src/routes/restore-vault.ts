import { restoreVault } from '@tideport/contracts/public/vaults'
import { restoreVault as takeOutOfTrash } from '@tideport/file-lifecycle/removal/trash-vault'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { toVault } from '../files/views.ts'
import { findLiveVault } from '../vaults/find-live-vault.ts'

/** `POST /api/vaults/:vaultId/restore`. A vault that is not in the trash is answered as it is. */
export function restoreVaultRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(restoreVault, async ({ principal: { accountId }, params: { vaultId } }) => {
    const vault = (await takeOutOfTrash(db, { accountId, vaultId })) ?? (await findLiveVault(db, accountId, vaultId))
    if (vault === null) throw notFound()
    return toVault(vault)
  })
}
