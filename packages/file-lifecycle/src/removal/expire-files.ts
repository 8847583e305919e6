import { sql } from 'kysely'
import type { Relay } from '../outbox/start-relay.ts'
import type { NetworkNames } from '../state/file-copies.ts'
import { claimOn, fileRows } from '../work/claim.ts'
import { type DueRowsDeps, processDueRows } from '../work/process-due-rows.ts'
import { trashExpired } from './trash.ts'

export interface ExpiryDeps extends DueRowsDeps {
  networks: Pick<NetworkNames, 'order'>
  relay: Pick<Relay, 'wake'>
  trashRetentionSeconds: number
}

/** Moves expired files to the trash, not to a purge, so that a wrong date can be undone. */
export async function expireFiles(deps: ExpiryDeps, signal: AbortSignal): Promise<boolean> {
  const { db, networks, relay, trashRetentionSeconds: retentionSeconds } = deps
  return await processDueRows(deps, signal, {
    rows: fileRows,
    name: 'expire files',
    due: {
      where: sql`status <> 'uploading' and expires_at <= now() and deleted_at is null and purging_at is null`,
      by: sql`expires_at`,
    },
    // Only the owner changes `expires_at`.
    putOff: (until) => sql`claimed_until = ${until}`,
    async visit(file) {
      const trashed = await trashExpired(db, file, { retentionSeconds, networks })
      if (trashed) relay.wake()
      else await claimOn(db, file).release()
    },
  })
}
