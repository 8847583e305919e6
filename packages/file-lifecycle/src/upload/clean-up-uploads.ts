import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { sql } from 'kysely'
import { type DrainDeps, drain } from '../work/drain.ts'
import { cleanUpUpload, isCleanupDue } from './clean-up-upload.ts'

/** Clears what uploads of confirmed files may have left, once nothing of them can be under way. */
export async function cleanUpUploads(deps: DrainDeps & { hotTier: HotTier }, signal: AbortSignal): Promise<boolean> {
  return await drain(deps, signal, {
    name: 'clean up uploads',
    due: { where: isCleanupDue, by: sql`cleanup_after` },
    putOff: (until) => sql`claimed_until = null, cleanup_after = ${until}`,
    visit: (file) => cleanUpUpload(deps, file, signal),
  })
}
