import { restoreVault } from '@tideport/contracts/public/vaults'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import { toVault } from '@tideport/file-lifecycle/records/file-views'
import { restoreVault as takeOutOfTrash } from '@tideport/file-lifecycle/removal/trash-vault'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { findKeptVault } from '../lookups/seen-vault.ts'

/** Of somebody who is overtaken by others each time. */
const TRIES_MAX = 10

/** `POST /api/vaults/:vaultId/restore`. A vault that is not in the trash is answered as it is. */
export function restoreVaultRoute({ db, relay }: { db: Kysely<FilesDb>; relay: Pick<Relay, 'wake'> }) {
  return serve(restoreVault, async ({ principal: { accountId }, params: { vaultId } }) => {
    for (let tried = 0; tried < TRIES_MAX; tried += 1) {
      const restored = await takeOutOfTrash(db, { accountId, vaultId })
      if (restored) {
        relay.wake()
        return toVault(restored)
      }
      const vault = await findKeptVault(db, accountId, vaultId)
      if (vault === null) throw notFound()
      if (vault.deletedAt === null) return toVault(vault)
      // It was thrown away since.
    }
    throw new AppError('state_conflict', 'Others change the vault all the time; try again')
  })
}
