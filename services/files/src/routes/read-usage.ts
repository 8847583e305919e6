import { daysAsked, readUsage, readVaultUsage } from '@tideport/contracts/public/usage'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { readAccountDays, readVaultDays } from '@tideport/file-lifecycle/state/usage-days'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { findLiveVault } from '../lookups/seen-vault.ts'

/** `GET /api/account/usage`. */
export function readUsageRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(readUsage, async ({ principal, query }) => ({
    days: await readAccountDays(db, principal.accountId, daysAsked(query, today())),
  }))
}

/** `GET /api/vaults/:vaultId/usage`. */
export function readVaultUsageRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(readVaultUsage, async ({ principal, params, query }) => {
    const vault = await findLiveVault(db, principal.accountId, params.vaultId)
    if (vault === null) throw notFound()
    return { days: await readVaultDays(db, vault.id, daysAsked(query, today())) }
  })
}

const today = () => new Date().toISOString().slice(0, 10)
