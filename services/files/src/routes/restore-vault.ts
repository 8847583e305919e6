import { restoreVault } from '@tideport/contracts/public/vaults'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import { toVault } from '@tideport/file-lifecycle/records/file-views'
import { restoreVault as takeOutOfTrash } from '@tideport/file-lifecycle/removal/trash-vault'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { findLiveVault } from '../vaults/find-live-vault.ts'

/** `POST /api/vaults/:vaultId/restore`. A vault that is not in the trash is answered as it is. */
export function restoreVaultRoute({ db, relay }: { db: Kysely<FilesDb>; relay: Pick<Relay, 'wake'> }) {
  return serve(restoreVault, async ({ principal: { accountId }, params: { vaultId } }) => {
    const restored = await takeOutOfTrash(db, { accountId, vaultId })
    if (restored) relay.wake()
    const vault = restored ?? (await findLiveVault(db, accountId, vaultId))
    if (vault === null) throw notFound()
    return toVault(vault)
  })
}
