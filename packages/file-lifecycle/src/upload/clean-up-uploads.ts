import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { type Kysely, sql } from 'kysely'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { claimOn, fileRows } from '../work/claim.ts'
import { type DrainDeps, drain } from '../work/drain.ts'

/** Clears what uploads of confirmed files may have left, once nothing of them can be under way. */
export async function cleanUpUploads(deps: DrainDeps & { hotTier: HotTier }, signal: AbortSignal): Promise<boolean> {
  return await drain(deps, signal, {
    rows: fileRows,
    name: 'clean up uploads',
    due: { where: isCleanupDue, by: sql`cleanup_after` },
    putOff: (until) => sql`claimed_until = null, cleanup_after = ${until}`,
    visit: (file) => cleanUpUpload(deps, file, signal),
  })
}

/** When a confirmed file's upload can be cleared. */
export const isCleanupDue = sql`status <> 'uploading' and purging_at is null and cleanup_after <= now()`

/**
 * Clears what a PUT or a completion under way at confirm may have left under the key of a claimed, confirmed file's
 * upload (docs/file-lifecycle.md §4): open uploads, and an object that is not the file's hot copy (any more). Waits for
 * `cleanup_after`, because what was under way until then could make it again.
 */
export async function cleanUpUpload(
  { db, hotTier }: { db: Kysely<FilesDb>; hotTier: HotTier },
  file: FileRow,
  stopping: AbortSignal,
): Promise<void> {
  await claimOn(db, file).run(stopping, async (signal) => {
    await hotTier.abortUploads(file.uploadKey)
    signal.throwIfAborted()
    // A key is never given to another copy, so what is not the hot copy now will never be it.
    if (file.hotKey !== file.uploadKey) await hotTier.remove(file.uploadKey, signal)
  })
  await sql`
    update file set cleanup_after = null, claimed_until = null, task_failures = 0
    where id = ${file.id} and fencing_token = ${file.fencingToken}`.execute(db)
}
