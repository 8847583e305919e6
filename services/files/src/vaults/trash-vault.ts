import { deleteVault, restoreVault } from '@tideport/contracts/public/vaults'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import { restoreVault as takeOutOfTrash, trashVault } from '@tideport/file-lifecycle/removal/trash-vault'
import type { FilesDb, VaultRow } from '@tideport/file-lifecycle/state/tables'
import { toVault } from '@tideport/file-lifecycle/views/file-views'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import type { FilesConfig } from '../config.ts'
import { findKeptVault } from '../lookups/authorized-vault.ts'

interface Deps {
  db: Kysely<FilesDb>
  relay: Pick<Relay, 'wake'>
  config: Pick<FilesConfig, 'trashRetentionSeconds'>
}

/** Attempts while other requests change the vault each time. */
const TRIES_MAX = 10

/** `DELETE /api/vaults/:vaultId`. Returns a vault that is already in the trash unchanged. */
export function deleteVaultRoute({ db, relay, config }: Deps) {
  return serve(deleteVault, async ({ principal: { accountId }, params: { vaultId }, query: { force } }) => {
    const own = { accountId, vaultId }
    const trash = () => trashVault(db, own, { force, retentionSeconds: config.trashRetentionSeconds })
    return await untilChanged({ db, relay }, own, trash, (vault) => {
      if (vault.deletedAt !== null) return true
      if (vault.isDefault) throw new AppError('state_conflict', 'The default vault cannot be deleted')
      if (!force && vault.fileCount > 0) throw notEmpty(vault)
      return false
    })
  })
}

/** `POST /api/vaults/:vaultId/restore`. Returns a vault that is not in the trash unchanged. */
export function restoreVaultRoute({ db, relay }: Pick<Deps, 'db' | 'relay'>) {
  return serve(restoreVault, async ({ principal: { accountId }, params: { vaultId } }) => {
    const own = { accountId, vaultId }
    return await untilChanged(
      { db, relay },
      own,
      () => takeOutOfTrash(db, own),
      (vault) => vault.deletedAt === null,
    )
  })
}

async function untilChanged(
  { db, relay }: Pick<Deps, 'db' | 'relay'>,
  { accountId, vaultId }: { accountId: string; vaultId: string },
  change: () => Promise<VaultRow | null>,
  isDone: (vault: VaultRow) => boolean,
) {
  for (let tried = 0; tried < TRIES_MAX; tried += 1) {
    const changed = await change()
    if (changed) {
      relay.wake()
      return toVault(changed)
    }
    const vault = await findKeptVault(db, accountId, vaultId)
    if (vault === null) throw notFound()
    if (isDone(vault)) return toVault(vault)
  }
  throw new AppError('state_conflict', 'The vault is being changed by another request. Try again.')
}

const notEmpty = ({ fileCount }: { fileCount: number }) =>
  new AppError('vault_not_empty', 'The vault is not empty. Delete its files first, or use force=true.', {
    details: { fileCount },
  })
