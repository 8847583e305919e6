import { sql } from 'kysely'
import type { HotTier } from '../hot-tier/hot-tier.ts'
import { type DrainDeps, drain } from '../work/drain.ts'
import { isSettlingDue, settleUpload } from './settle-upload.ts'

/** Clears what uploads of confirmed files may have left, once nothing of them can be under way. */
export async function settleUploads(deps: DrainDeps & { hotTier: HotTier }, signal: AbortSignal): Promise<boolean> {
  return await drain(deps, signal, {
    name: 'settle uploads',
    due: { where: isSettlingDue, by: sql`settle_at` },
    putOff: (until) => sql`claimed_until = null, settle_at = ${until}`,
    visit: (file) => settleUpload(deps, file, signal),
  })
}
