import { readVault } from '@tideport/contracts/http/vaults'
import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { notFound } from '@tideport/service-kit/app-error'
import { serve } from '@tideport/service-kit/route'
import type { Kysely } from 'kysely'
import { findLiveVault } from '../find-live-vault.ts'
import { toVault } from '../views.ts'

/** `GET /api/vaults/:vaultId`. */
export function readVaultRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(readVault, async ({ principal, params }) => {
    const vault = await findLiveVault(db, principal.accountId, params.vaultId)
    if (vault === null) throw notFound()
    return toVault(vault)
  })
}
