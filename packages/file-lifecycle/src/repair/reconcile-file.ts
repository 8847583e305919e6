import { type Kysely, sql } from 'kysely'
import { recordDropped } from '../rehydrate/rehydration.ts'
import { timelinePayload } from '../state/append-event.ts'
import { guardedUpdate } from '../state/guarded-update.ts'
import { type NamedCopy, namesCopy } from '../state/named-copy.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { markFailed, markHot, markRetried } from '../state/transitions.ts'
import { beginEvicting } from '../work/attempts.ts'

/**
 * What brings a row to what the tiers really hold, for an operator after a loss or a restore. `file` is claimed by the
 * caller for all of them, so no worker is at it. Null: the row changed, look again.
 */
type Reconcile = (db: Kysely<FilesDb>, file: FileRow) => Promise<FileRow | null>

/** uploading: the object is there, and only a confirm makes one. */
export const confirmStored: Reconcile = (db, file) => markHot(db, file)

/** uploading: the network holds what was once confirmed and synced. */
export const confirmCopied = (db: Kysely<FilesDb>, file: FileRow, copy: NamedCopy) => markHot(db, file, { copy })

/** hot without its object: sync goes on from the copy, which it reads verified and compares with what was declared. */
export function syncFromCopy(db: Kysely<FilesDb>, file: FileRow, copy: NamedCopy): Promise<FileRow | null> {
  return guardedUpdate(db, {
    file,
    from: ['hot'],
    byClaim: true,
    set: sql`${namesCopy(copy)}, sync_attempt = 0, sync_due_at = now()`,
    event: { type: 'reconcile.copy_named', payload: timelinePayload({ blobId: copy.blobId }) },
  })
}

/** synced, its copy just proved, and its object gone: eviction has nothing to wait for. */
export const evictAtOnce = (db: Kysely<FilesDb>, file: FileRow, { leaseExpiresAt }: { leaseExpiresAt: Date | null }) =>
  beginEvicting(db, file, { waitSeconds: 0, leaseExpiresAt })

/** cold: what was brought back to the hot tier is gone from there. */
export const forgetRehydrated: Reconcile = (db, file) => recordDropped(db, file)

/**
 * synced or cold without its copy, the hot bytes being there: told as an error, then hot again. Not when eviction may have
 * begun to delete them: then it stays in error until a retry finds them (docs/file-lifecycle.md §6).
 */
export const syncAnew: Reconcile = async (db, file) => {
  const failed = await markFailed(db, file, 'proof_failed')
  if (failed === null || file.evictingAt !== null) return failed
  return (await markRetried(db, failed)) ?? failed
}

/** Neither tier has the bytes. The row goes on naming both places: what is restored there can be found again. */
export const giveUpLost: Reconcile = (db, file) => markFailed(db, file, 'content_lost')
