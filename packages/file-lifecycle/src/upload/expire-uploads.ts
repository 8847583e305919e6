import { sql } from 'kysely'
import type { PurgeTaskDeps } from '../removal/empty-trash.ts'
import { purgeExpired } from '../removal/purge.ts'
import { claimOn, fileRows } from '../work/claim.ts'
import { drain } from '../work/drain.ts'

/** Begins the purge of expired uploads. `finishConfirms` and `confirmUploads` end those that are being confirmed. */
export async function expireUploads(deps: PurgeTaskDeps, signal: AbortSignal): Promise<boolean> {
  return await drain(deps, signal, {
    rows: fileRows,
    name: 'expire uploads',
    due: {
      where: sql`status = 'uploading' and upload_expires_at <= now() and confirm_due_at is null
        and completing_at is null and purging_at is null`,
      by: sql`upload_expires_at`,
    },
    putOff: (until) => sql`claimed_until = null, upload_expires_at = ${until}`,
    async visit(file) {
      const purging = await purgeExpired(deps.db, file.id, { ...deps, ownClaim: file.fencingToken })
      if (!purging) await claimOn(deps.db, file).release()
    },
  })
}
