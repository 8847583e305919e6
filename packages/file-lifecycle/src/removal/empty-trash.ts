import { sql } from 'kysely'
import { claimOn, fileRows } from '../work/claim.ts'
import { type DueRowsDeps, processDueRows } from '../work/process-due-rows.ts'
import { purgeOutdated, type Settle } from './purge.ts'
import type { EventLife } from './purge-file.ts'
import { claimVaults, purgeVault } from './trash-vault.ts'

const VAULTS = 8

export interface PurgeTaskDeps extends DueRowsDeps, EventLife, Settle {}

/** Begins the purge of files whose time in the trash is over. */
export async function emptyTrash(deps: PurgeTaskDeps, signal: AbortSignal): Promise<boolean> {
  return await processDueRows(deps, signal, {
    rows: fileRows,
    name: 'empty the trash',
    due: {
      where: sql`purge_due_at <= now() and deleted_at is not null and purging_at is null`,
      by: sql`purge_due_at`,
    },
    putOff: (until) => sql`claimed_until = null, purge_due_at = ${until}`,
    async visit(file) {
      const purging = await purgeOutdated(deps.db, file.id, { ...deps, ownClaim: file.fencingToken })
      if (!purging) await claimOn(deps.db, file).release()
    },
  })
}

/** Purges a few vaults whose time in the trash is over; unfinished ones are due again in a minute. */
export async function purgeVaults({ db, log, ...settings }: PurgeTaskDeps, signal: AbortSignal): Promise<boolean> {
  const vaultIds = await claimVaults(db, VAULTS, settings)
  const visits = await Promise.allSettled(vaultIds.map((id) => purgeVault(db, id, settings, signal)))
  for (const [index, visit] of visits.entries()) {
    if (visit.status === 'rejected')
      log.warn({ err: visit.reason, vaultId: vaultIds[index] }, 'purging a vault failed; it is retried later')
  }
  return vaultIds.length === VAULTS
}
