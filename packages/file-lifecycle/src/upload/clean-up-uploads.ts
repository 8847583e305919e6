import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { type Kysely, sql } from 'kysely'
import type { PurgeTaskDeps } from '../removal/empty-trash.ts'
import { purgeExpired } from '../removal/purge.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { claimOn, fileRows } from '../work/claim.ts'
import { type DueRowsDeps, processDueRows } from '../work/process-due-rows.ts'

/** Clears the remains of confirmed uploads when no request can still be running. */
export async function cleanUpUploads(deps: DueRowsDeps & { hotTier: HotTier }, signal: AbortSignal): Promise<boolean> {
  return await processDueRows(deps, signal, {
    rows: fileRows,
    name: 'clean up uploads',
    due: { where: isCleanupDue, by: sql`cleanup_after` },
    putOff: (until) => sql`claimed_until = null, cleanup_after = ${until}`,
    visit: (file) => cleanUpUpload(deps, file, signal),
  })
}

export const isCleanupDue = sql`status <> 'uploading' and purging_at is null and cleanup_after <= now()`

/**
 * Clears open uploads, and an object that is not the hot copy, under the key of a claimed, confirmed upload
 * (docs/explain/life-of-a-file.md §4). Waits for `cleanup_after`, because running requests could create them again.
 */
export async function cleanUpUpload(
  { db, hotTier }: { db: Kysely<FilesDb>; hotTier: HotTier },
  file: FileRow,
  stopping: AbortSignal,
): Promise<void> {
  await claimOn(db, file).run(stopping, async (signal) => {
    await hotTier.abortUploads(file.uploadKey)
    signal.throwIfAborted()
    // No other copy ever gets the key.
    if (file.hotKey !== file.uploadKey) await hotTier.remove(file.uploadKey, signal)
  })
  if (file.uploadForm === 'open') await db.deleteFrom('uploadPart').where('fileId', '=', file.id).execute()
  await sql`
    update file set cleanup_after = null, claimed_until = null, task_failures = 0
    where id = ${file.id} and fencing_token = ${file.fencingToken}`.execute(db)
}

/** Begins the purge of expired uploads. `finishConfirms` and `confirmUploads` end those that are being confirmed. */
export async function expireUploads(deps: PurgeTaskDeps, signal: AbortSignal): Promise<boolean> {
  return await processDueRows(deps, signal, {
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
