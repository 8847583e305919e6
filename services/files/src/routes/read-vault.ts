import { readVault } from '@tideport/contracts/public/vaults'
import { toVault } from '@tideport/file-lifecycle/records/file-views'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { findLiveVault } from '../lookups/seen-vault.ts'

/** `GET /api/vaults/:vaultId`. */
export function readVaultRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(readVault, async ({ principal, params }) => {
    const vault = await findLiveVault(db, principal.accountId, params.vaultId)
    if (vault === null) throw notFound()
    return toVault(vault)
  })
}
