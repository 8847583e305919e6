import { deleteVault } from '@tideport/contracts/public/vaults'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import { toVault } from '@tideport/file-lifecycle/records/file-views'
import { trashVault } from '@tideport/file-lifecycle/removal/trash-vault'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import type { FilesConfig } from '../config.ts'
import { findKeptVault } from '../lookups/seen-vault.ts'

interface Deps {
  db: Kysely<FilesDb>
  relay: Pick<Relay, 'wake'>
  config: Pick<FilesConfig, 'trashRetentionSeconds'>
}

/** Of somebody who is overtaken by others each time. */
const TRIES_MAX = 10

/** `DELETE /api/vaults/:vaultId`. A vault that is in the trash already is answered as it is. */
export function deleteVaultRoute({ db, relay, config }: Deps) {
  return serve(deleteVault, async ({ principal: { accountId }, params: { vaultId }, query: { force } }) => {
    const retentionSeconds = config.trashRetentionSeconds
    for (let tried = 0; tried < TRIES_MAX; tried += 1) {
      const trashed = await trashVault(db, { accountId, vaultId }, { force, retentionSeconds })
      if (trashed) {
        relay.wake()
        return toVault(trashed)
      }
      const vault = await findKeptVault(db, accountId, vaultId)
      if (vault === null) throw notFound()
      if (vault.deletedAt !== null) return toVault(vault)
      if (vault.isDefault) throw new AppError('state_conflict', 'The default vault cannot be deleted')
      if (!force && vault.fileCount > 0) throw notEmpty(vault)
      // It could be deleted by now: restored or emptied since.
    }
    throw new AppError('state_conflict', 'Others change the vault all the time; try again')
  })
}

const notEmpty = ({ fileCount }: { fileCount: number }) =>
  new AppError('vault_not_empty', 'The vault holds files; delete them first, or use force=true', {
    details: { fileCount },
  })
