import { recordDropped } from '@tideport/file-lifecycle/rehydrate/rehydrate-file'
import { timelinePayload } from '@tideport/file-lifecycle/state/append-event'
import { tellCopy } from '@tideport/file-lifecycle/state/copy-transitions'
import { type NetworkNames, readCopies } from '@tideport/file-lifecycle/state/file-copies'
import { type CopyChange, guardedUpdate } from '@tideport/file-lifecycle/state/guarded-update'
import { CONFIRMED } from '@tideport/file-lifecycle/state/state'
import type { CopyRow, FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { beginEvicting, markFailed, markHot } from '@tideport/file-lifecycle/state/transitions'
import { alone } from '@tideport/file-lifecycle/state/writes'
import { type Kysely, sql } from 'kysely'

/**
 * Corrections of a row after a loss or a restore, under the caller's claim of the file. Null: the row has changed, so
 * the caller has to inspect it again.
 */

/** Changes uploading to hot, because only a confirm creates the object. */
export const confirmStored = (db: Kysely<FilesDb>, file: FileRow, names: NetworkNames) =>
  markHot(alone(db), file, names)

/** A copy on a network that no row relies on. */
export type FoundCopy = Pick<CopyRow, 'network' | 'reference'> & { blobId: string }

/**
 * Adds found copies to the file, and confirms the file if needed. The new copies count as lost, so sync reads them in
 * full first. Copies that their networks do not have become lost. Applies all changes or none.
 */
export async function adoptCopies(
  db: Kysely<FilesDb>,
  file: FileRow,
  { found, missing }: { found: readonly FoundCopy[]; missing: readonly CopyRow[] },
  names: NetworkNames,
): Promise<FileRow | null> {
  const overtaken = Symbol('overtaken')
  const orOvertaken = (row: FileRow | null): FileRow => {
    if (row === null) throw overtaken
    return row
  }
  try {
    return await db.transaction().execute(async (trx) => {
      const confirmed = file.status === 'uploading' ? orOvertaken(await confirmStored(trx, file, names)) : file
      const rows = await readCopies(trx, file.id)
      const plans = found.flatMap(({ network }) => (rows.some((row) => row.network === network) ? [] : [network]))
      const planning = { file: confirmed, from: CONFIRMED, plans, events: [] }
      const planned = plans.length > 0 ? orOvertaken(await guardedUpdate(trx, planning)) : confirmed
      const others = missing.filter(({ network }) => !found.some((one) => one.network === network))
      const payloads = found.map(({ network, blobId }) => timelinePayload({ network, blobId }))
      return orOvertaken(
        await guardedUpdate(trx, {
          file: planned,
          from: CONFIRMED,
          copies: [...found.map(adopted), ...others.map(lost)],
          events: [
            ...payloads.map((payload) => ({ type: 'reconcile.copy_adopted', payload })),
            ...others.map(tellLost),
          ],
        }),
      )
    })
  } catch (error) {
    if (error === overtaken) return null
    throw error
  }
}

/** Evicts a synced file whose copies were just proved and whose object no longer exists. */
export function evictAtOnce(db: Kysely<FilesDb>, file: FileRow, names: NetworkNames): Promise<FileRow | null> {
  return beginEvicting(alone(db), file, names, { waitSeconds: 0 })
}

/** Handles a cold file whose restored bytes no longer exist. */
export function forgetRehydrated(db: Kysely<FilesDb>, file: FileRow): Promise<FileRow | null> {
  return recordDropped(db, file)
}

/** Stores copies again that their networks do not have. */
export function loseCopies(db: Kysely<FilesDb>, file: FileRow, missing: readonly CopyRow[]): Promise<FileRow | null> {
  return guardedUpdate(db, { file, from: CONFIRMED, copies: missing.map(lost), events: missing.map(tellLost) })
}

/**
 * Marks a file as lost. Its rows keep both places, so a retry finds a restored object, and sync finds a restored copy.
 */
export function giveUpLost(
  db: Kysely<FilesDb>,
  file: FileRow,
  names: NetworkNames,
  missing: readonly CopyRow[],
): Promise<FileRow | null> {
  const more = { byClaim: 'file', copies: missing.map(lost), events: missing.map(tellLost) } as const
  return markFailed(db, file, names, 'content_lost', more)
}

/** No worker has claimed the copy. */
const plannedAgain = sql`state = 'planned', lost_at = coalesce(lost_at, now()), attempt = 0, due_at = now(), proved_at = null,
  renew_due_at = null, billed_bytes = null, claimed_until = null, unfinished_claims = 0, fencing_token = copy.fencing_token + 1`

function lost({ network }: CopyRow): CopyChange<unknown> {
  return { network, set: plannedAgain }
}

function adopted({ network, reference, blobId }: FoundCopy): CopyChange<unknown> {
  const set = sql`${plannedAgain}, reference = ${reference}, blob_id = ${blobId},
    ref = case when copy.reference = ${reference} then copy.ref else '{}' end`
  return { network, set }
}

function tellLost({ network }: CopyRow) {
  return tellCopy('file.copy_lost', { network }, sql`null::text`, { reason: 'reconcile' })
}
