import { type Kysely, sql } from 'kysely'
import { claimWhere, underClaim } from './claim.ts'
import type { HotTier } from './hot-tier.ts'
import type { FilesDb } from './tables.ts'

/**
 * Clears what a PUT or a completion under way at confirm may have left under the key of a confirmed file's upload
 * (docs/file-lifecycle.md §4): open uploads, and an object that is not the file's hot copy (any more). Waits for `settle_at`,
 * because what was under way until then could make it again. False: nothing to do now.
 */
export async function settleUpload(
  { db, hotTier }: { db: Kysely<FilesDb>; hotTier: HotTier },
  fileId: string,
  stopping: AbortSignal,
): Promise<boolean> {
  const file = await claimWhere(db, fileId, sql`status <> 'uploading' and purging_at is null and settle_at <= now()`)
  if (!file) return false
  await underClaim(db, file, stopping, async (signal) => {
    await hotTier.abortUploads(file.uploadKey)
    signal.throwIfAborted()
    // A key is never given to another copy, so what is not the hot copy now will never be it.
    if (file.hotKey !== file.uploadKey) await hotTier.remove(file.uploadKey, signal)
  })
  await sql`
    update file set settle_at = null, claimed_until = null
    where id = ${file.id} and claims = ${file.claims}`.execute(db)
  return true
}
