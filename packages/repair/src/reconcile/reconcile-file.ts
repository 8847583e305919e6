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
 * What brings a row to what the tiers really hold, for an operator after a loss or a restore. The file is claimed by
 * the caller for all of them. Null: the row changed, look again.
 */

/** uploading: the object is there, and only a confirm makes one. */
export const confirmStored = (db: Kysely<FilesDb>, file: FileRow, names: NetworkNames) =>
  markHot(alone(db), file, names)

/** A copy that a network holds and no row relies on. */
export type FoundCopy = Pick<CopyRow, 'network' | 'reference'> & { blobId: string }

/**
 * Copies that networks hold become those of the file, which is confirmed first if it was not. They are taken for ones
 * that were lost: read in full before anything relies on them. What the rows name instead, and nobody has, is lost with
 * it. All or nothing.
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

/** synced, its copies just proved, and its object gone: eviction has nothing to wait for. */
export function evictAtOnce(db: Kysely<FilesDb>, file: FileRow, names: NetworkNames): Promise<FileRow | null> {
  return beginEvicting(alone(db), file, names, { waitSeconds: 0 })
}

/** cold: what was brought back to the hot tier is gone from there. */
export function forgetRehydrated(db: Kysely<FilesDb>, file: FileRow): Promise<FileRow | null> {
  return recordDropped(db, file)
}

/** Copies that their network does not have: to be stored again, from wherever the bytes are. */
export function loseCopies(db: Kysely<FilesDb>, file: FileRow, missing: readonly CopyRow[]): Promise<FileRow | null> {
  return guardedUpdate(db, { file, from: CONFIRMED, copies: missing.map(lost), events: missing.map(tellLost) })
}

/**
 * Neither tier has the bytes. The rows go on naming both places: an object that is restored is found by a retry, a copy
 * by sync, which looks for what was lost again and again.
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

/** Whoever was at the copy is not any more. */
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
