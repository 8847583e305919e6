import { deleteVault } from '@tideport/contracts/http/vaults'
import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { trashVault } from '@tideport/file-lifecycle/trash-vault'
import { AppError, notFound } from '@tideport/service-kit/app-error'
import { serve } from '@tideport/service-kit/route'
import type { Kysely } from 'kysely'
import type { FilesConfig } from '../config.ts'
import { findKeptVault } from '../find-live-vault.ts'
import { toVault } from '../views.ts'

interface Deps {
  db: Kysely<FilesDb>
  config: Pick<FilesConfig, 'trashRetentionSeconds'>
}

/** `DELETE /api/vaults/:vaultId`. A vault that is in the trash already is answered as it is. */
export function deleteVaultRoute({ db, config }: Deps) {
  return serve(deleteVault, async ({ principal: { accountId }, params: { vaultId }, query: { force } }) => {
    const retentionSeconds = config.trashRetentionSeconds
    const trashed = await trashVault(db, { accountId, vaultId }, { force, retentionSeconds })
    if (trashed) return toVault(trashed)
    const vault = await findKeptVault(db, accountId, vaultId)
    if (vault === null) throw notFound()
    if (vault.deletedAt !== null) return toVault(vault)
    if (vault.isDefault) throw new AppError('state_conflict', 'The default vault cannot be deleted')
    throw new AppError('vault_not_empty', 'The vault holds files; delete them first, or use force=true', {
      details: { fileCount: vault.fileCount },
    })
  })
}
