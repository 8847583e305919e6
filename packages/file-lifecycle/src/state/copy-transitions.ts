import { type Kysely, type RawBuilder, sql } from 'kysely'
import { eventPayload, timelinePayload } from './append-event.ts'
import { blobIdOf, type FileCopies, isComplete, type NamedCopy, type NetworkNames } from './file-copies.ts'
import { type CopyChange, guardedUpdate } from './guarded-update.ts'
import { begunLease } from './lease.ts'
import { type FailureCode, transitions } from './state.ts'
import type { CopyRow, FileRow, FilesDb } from './tables.ts'
import { markFailed, move, recovered, recovery } from './transitions.ts'

/**
 * The changes of a copy's state (docs/file-lifecycle.md §2). Each changes the version of its file as well: whoever
 * decides on all copies of a file is guarded by that alone.
 */

const CONFIRMED = ['hot', 'synced', 'cold', 'error'] as const

/** A file and that copy of it which the caller claimed. */
export interface ClaimedCopy extends FileCopies {
  copy: CopyRow
}

/** What the network answered when it took the bytes for good. */
export interface HeldCopy {
  blobId: string
  sha256: string
  leaseExpiresAt: Date | null
}

/** The row names the copy before it is made permanent. */
export function nameCopy(
  db: Kysely<FilesDb>,
  { file, copy }: ClaimedCopy,
  { blobId, ref }: { blobId: string; ref: Record<string, string> },
): Promise<FileRow | null> {
  const set = sql`blob_id = ${blobId}, ref = ${JSON.stringify(ref)}::jsonb`
  const copies = [{ copy, set, byClaim: 'goes_on' as const }]
  return guardedUpdate(db, { file, from: CONFIRMED, inTrashToo: isHealed(copy), copies, events: [] })
}

/** In the trash nothing is stored that was not, but what was lost is. */
export function isHealed({ lostAt }: CopyRow): boolean {
  return lostAt !== null
}

/** News of one copy, for whoever subscribes: the payload of any news of the file, with the network. */
export function tellCopy(
  type: 'file.copied' | 'file.copy_lost' | 'file.lease_expiring',
  { network }: Pick<CopyRow, 'network'>,
  blobId: RawBuilder<unknown>,
  facts: Record<string, string> = {},
): { type: string; payload: RawBuilder<unknown> } {
  const more = sql`${JSON.stringify({ network, ...facts })}::jsonb`
  return { type, payload: eventPayload(type, { blobId, more }) }
}

/**
 * planned → stored, and what follows for the file: the first copy makes a hot one `synced`; one in error is well again.
 * Every further copy has the digest of the first.
 */
export function markStored(
  db: Kysely<FilesDb>,
  { file, copies, copy }: ClaimedCopy,
  { order }: NetworkNames,
  held: HeldCopy & { hotRetentionSeconds: number },
): Promise<FileRow | null> {
  const hotUntil = sql`now() + make_interval(secs => ${held.hotRetentionSeconds})`
  const proveAt = file.status === 'hot' ? hotUntil : sql`coalesce(changed.hot_until, now())`
  const leaseEnd = sql`${held.leaseExpiresAt}::timestamptz`
  const change: CopyChange = { copy, byClaim: 'ends', set: asStored({ proveAt, leaseEnd }) }
  const isSame = sql`(sha256 is null or sha256 = ${held.sha256})`
  const blobId = sql`${blobIdWith({ copies, copy }, held, order)}::text`
  const told = tellCopy('file.copied', copy, blobId)
  const inTrashToo = isHealed(copy)
  const details = { copies: [change], events: [told], where: isSame, inTrashToo, blobId }
  if (file.status === 'hot') {
    const set = sql`synced_at = now(), sha256 = ${held.sha256}, hot_until = ${hotUntil}, evict_attempt = 0`
    return move(db, transitions.markSynced, file, { ...details, set })
  }
  if (file.status === 'error') {
    // A hot object that was missing is not relied on: proved copies take its place at once.
    const keepUntil = file.errorCode === 'content_lost' ? sql`now()` : hotUntil
    const set = sql`${recovered}, sha256 = ${held.sha256}, synced_at = coalesce(synced_at, now()),
      hot_until = case when hot_key is not null then ${keepUntil} end`
    return move(db, recovery(file), file, { ...details, set })
  }
  return guardedUpdate(db, { file, from: CONFIRMED, inTrashToo, copies: [change], events: [told], where: isSame })
}

/** Assignments to a copy that the network took for good; `changed` is its file then. */
export function asStored({
  proveAt,
  leaseEnd,
}: {
  proveAt: RawBuilder<unknown>
  leaseEnd: RawBuilder<unknown>
}): RawBuilder<unknown> {
  return sql`state = 'stored', stored_at = now(), file_synced_at = changed.synced_at, attempt = 0, lost_at = null,
    due_at = ${proveAt}, ${begunLease(leaseEnd)}`
}

/** The blob id that the file shows once this copy is stored. */
export function blobIdWith(
  { copies, copy }: Pick<ClaimedCopy, 'copies' | 'copy'>,
  { blobId }: Pick<HeldCopy, 'blobId'>,
  order: readonly string[],
): string | null {
  const after = copies.map((one) => (one.network === copy.network ? { ...one, blobId, state: 'stored' as const } : one))
  return blobIdOf(after, order)
}

/** stored → proved: read back in full. Checked again after `checkSeconds`, for as long as it is kept. */
export function markProved(
  db: Kysely<FilesDb>,
  { file, copy }: ClaimedCopy,
  { leaseExpiresAt, checkSeconds }: { leaseExpiresAt: Date | null; checkSeconds: number },
): Promise<FileRow | null> {
  const set = sql`state = 'proved', proved_at = now(), checked_at = now(), attempt = 0, lost_at = null,
    checks_ok = checks_ok + 1, due_at = now() + make_interval(secs => ${checkSeconds}), ${lease({ leaseExpiresAt }, copy)}`
  return guardedUpdate(db, {
    file,
    from: CONFIRMED,
    inTrashToo: true,
    copies: [{ copy, set, byClaim: 'ends' }],
    events: [{ type: 'copy.proved', payload: timelinePayload({ network: copy.network, sizeBytes: file.sizeBytes }) }],
  })
}

/** stored, proved → planned: the network itself says that it does not have those bytes. It is to be stored again. */
export function markLost(
  db: Kysely<FilesDb>,
  { file, copy }: ClaimedCopy,
  { reason }: { reason: string },
): Promise<FileRow | null> {
  const set = sql`state = 'planned', lost_at = coalesce(lost_at, now()), attempt = 0, due_at = now(),
    checks_failed = checks_failed + 1, proved_at = null, renew_due_at = null`
  return guardedUpdate(db, {
    file,
    from: CONFIRMED,
    inTrashToo: true,
    copies: [{ copy, set, byClaim: 'ends' }],
    events: [tellCopy('file.copy_lost', copy, sql`null::text`, { reason })],
  })
}

/** planned → failed: given up. The file is in error when it is hot and no other copy is, or is to be, anywhere. */
export function markCopyFailed(
  db: Kysely<FilesDb>,
  { file, copies, copy }: ClaimedCopy,
  names: NetworkNames,
  code: FailureCode,
): Promise<FileRow | null> {
  const change: CopyChange = { copy, set: sql`state = 'failed', due_at = null`, byClaim: 'ends' }
  const told = { type: 'copy.failed', payload: timelinePayload({ network: copy.network, reason: code }) }
  const others = copies.filter(({ network }) => network !== copy.network)
  const isAlone = !others.some(({ state }) => state === 'planned' || state === 'stored' || state === 'proved')
  if (file.status === 'hot' && isAlone) {
    return markFailed(db, file, names, code, { copies: [change], events: [told] })
  }
  return guardedUpdate(db, { file, from: CONFIRMED, inTrashToo: true, copies: [change], events: [told] })
}

/**
 * → dropping: let go on purpose, while all required networks hold the file. Still readable, and a source, until it is
 * gone.
 */
export function beginDropping(
  db: Kysely<FilesDb>,
  { file }: FileCopies,
  { required }: NetworkNames,
  copy: CopyRow,
  { settleSeconds }: { settleSeconds: number },
): Promise<FileRow | null> {
  const set = sql`state = 'dropping', attempt = 0, renew_due_at = null,
    due_at = greatest(now(), coalesce(copy.claimed_until, now())) + make_interval(secs => ${settleSeconds})`
  return guardedUpdate(db, {
    file,
    from: CONFIRMED,
    inTrashToo: true,
    where: sql`evicting_at is null and ${isComplete(required)}
      and not exists (select from copy where copy.file_id = file.id and copy.state = 'dropping')`,
    copies: [{ copy, set }],
    events: [{ type: 'copy.leaving', payload: timelinePayload({ network: copy.network }) }],
  })
}

/** dropping → dropped: gone. The row stays for its blob id: links to it go on working. */
export function markDropped(db: Kysely<FilesDb>, { file, copy }: ClaimedCopy): Promise<FileRow | null> {
  const set = sql`state = 'dropped', due_at = null, lost_at = null, lease_expires_at = null, renew_due_at = null`
  return guardedUpdate(db, {
    file,
    from: CONFIRMED,
    inTrashToo: true,
    copies: [{ copy, set, byClaim: 'ends' }],
    events: [{ type: 'copy.dropped', payload: timelinePayload({ network: copy.network }) }],
  })
}

/** A copy that was named is what the network acts on; nobody asks it about one that was not. */
export function nameOf(copy: NamedCopy): Pick<NamedCopy, 'blobId' | 'reference' | 'ref'> {
  return { blobId: copy.blobId, reference: copy.reference, ref: copy.ref }
}

function lease({ leaseExpiresAt }: { leaseExpiresAt: Date | null }, before?: CopyRow): RawBuilder<unknown> {
  if (before && before.leaseExpiresAt?.getTime() === leaseExpiresAt?.getTime())
    return sql`lease_expires_at = ${leaseExpiresAt}`
  return begunLease(sql`${leaseExpiresAt}::timestamptz`)
}
