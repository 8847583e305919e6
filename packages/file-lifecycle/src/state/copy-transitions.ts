import { currentCause } from '@tideport/service-kit/context/request-context'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { eventPayload, timelinePayload } from './append-event.ts'
import { begunLease, blobIdOf, type FileCopies, isComplete, type NamedCopy, type NetworkNames } from './file-copies.ts'
import { type CopyChange, type Guarded, guardedUpdate } from './guarded-update.ts'
import { isLive } from './queries.ts'
import { CONFIRMED, type FailureCode, transitions } from './state.ts'
import type { CopyRow, FileRow, FilesDb } from './tables.ts'
import { manyFiles, markFailed } from './transitions.ts'
import type { Writes } from './writes.ts'

/** Each change of a copy also changes the version of its file, which guards decisions about all of its copies. */

/** A file, and the copy that the caller has claimed. */
export interface ClaimedCopy extends FileCopies {
  copy: CopyRow
}

/** The network's response to a commit. */
export interface HeldCopy {
  blobId: string
  sha256: string
  /** Unset: the row keeps its reference. */
  ref?: Record<string, string> | undefined
  billedBytes: number
  leaseExpiresAt: Date | null
}

interface OfCopy extends Guarded {
  copy: CopyRow
}

/** The outcome of work under the claim of this copy, which ends with it. */
function outcomeOf(copy: CopyRow, set: RawBuilder<unknown>): CopyChange<unknown> {
  return { network: copy.network, set, claimOf: () => copy, endsClaim: true }
}

/** Copies on one network share a statement; a locked file delays no other. */
const byNetwork = {
  key: ({ copy }: OfCopy) => copy.network,
  form: ({ copy: { network } }: OfCopy) => ({ network }),
  waitsWith: ({ file }: OfCopy) => file.id,
}

type OnNetwork = Pick<CopyRow, 'network'>

function outcomesOf<Item extends OfCopy>({ network }: OnNetwork, set: RawBuilder<unknown>): CopyChange<Item> {
  return { network, set, claimOf: ({ copy }) => copy, endsClaim: true }
}

const isHealedOrLive = sql`(given_healed or (${isLive}))`

const naming = manyFiles<OfCopy & { blobId: string; ref: Record<string, string> }, OnNetwork>({
  ...byNetwork,
  change: (on) => ({
    from: CONFIRMED,
    inTrashToo: true,
    where: isHealedOrLive,
    given: {
      healed: ['boolean', ({ copy }) => isHealed(copy)],
      blob_id: ['text', ({ blobId }) => blobId],
      ref: ['jsonb', ({ ref }) => JSON.stringify(ref)],
    },
    copies: [{ ...outcomesOf(on, sql`blob_id = given_blob_id, ref = given_ref`), endsClaim: false }],
    events: [],
  }),
})

/** Writes the copy's name to the row before the copy is permanent. */
export function nameCopy(
  writes: Writes,
  { file, copy }: ClaimedCopy,
  { blobId, ref }: { blobId: string; ref: Record<string, string> },
): Promise<FileRow | null> {
  return writes.write(naming, { file, copy, blobId, ref, cause: currentCause() })
}

/** In the trash only lost copies are stored. */
export function isHealed({ lostAt }: CopyRow): boolean {
  return lostAt !== null
}

/** The payload of a file's event about one copy. */
export function tellCopy(
  type: 'file.copied' | 'file.copy_lost' | 'file.lease_expiring',
  { network }: OnNetwork,
  blobId: RawBuilder<unknown>,
  facts: Record<string, string> = {},
): { type: string; payload: RawBuilder<unknown> } {
  const more = sql`${JSON.stringify({ network, ...facts })}::jsonb`
  return { type, payload: eventPayload(type, { blobId, more }) }
}

const hotUntil = sql`now() + make_interval(secs => given_retention)`
/** A missing hot object is not used, so proved copies replace it immediately. */
const keepUntil = sql`case when hot_key is not null then
  case when error_code = 'content_lost' then now() else ${hotUntil} end end`

const asStored = sql`state = 'stored', ref = coalesce(given_ref, copy.ref), stored_at = now(), lost_at = null,
  file_synced_at = changed.synced_at, billed_bytes = given_billed, attempt = 0, due_at = coalesce(changed.hot_until, now()), ${begunLease(sql`given_lease_end`)}`

const storing = manyFiles<OfCopy & HeldCopy & { shownBlobId: string | null; hotRetentionSeconds: number }, OnNetwork>({
  ...byNetwork,
  change: (on) => ({
    from: CONFIRMED,
    inTrashToo: true,
    where: sql`${isHealedOrLive} and (file.sha256 is null or file.sha256 = given_sha256)`,
    given: {
      healed: ['boolean', ({ copy }) => isHealed(copy)],
      was: ['text', ({ file }) => file.status],
      sha256: ['text', ({ sha256 }) => sha256],
      ref: ['jsonb', ({ ref }) => (ref ? JSON.stringify(ref) : null)],
      billed: ['bigint', ({ billedBytes }) => billedBytes],
      lease_end: ['timestamptz', ({ leaseExpiresAt }) => leaseExpiresAt],
      retention: ['integer', ({ hotRetentionSeconds }) => hotRetentionSeconds],
      shown_blob_id: ['text', ({ shownBlobId }) => shownBlobId],
    },
    set: {
      status: sql`case when given_was = 'hot' or given_was = 'error' and hot_key is not null then 'synced'
        when given_was = 'error' then 'cold' else file.status end`,
      sha256: sql`given_sha256`,
      syncedAt: sql`case given_was when 'hot' then now() when 'error' then coalesce(synced_at, now()) else synced_at end`,
      hotUntil: sql`case given_was when 'hot' then ${hotUntil} when 'error' then ${keepUntil} else hot_until end`,
      evictAttempt: sql`case when given_was in ('hot', 'error') then 0 else evict_attempt end`,
      ...Object.fromEntries(['error', 'errorCode', 'erroredAt'].map((column) => [column, sql`null`])),
    },
    copies: [outcomesOf(on, asStored)],
    events: [
      tellCopy('file.copied', on, sql`given_shown_blob_id`),
      ...[transitions.markSynced, transitions.recoverSynced].map(({ from: [was], event }) => ({
        type: event,
        payload: eventPayload(event, { blobId: sql`given_shown_blob_id` }),
        where: sql`given_was = ${was}`,
      })),
    ],
  }),
})

/** planned → stored. The first copy makes a hot file `synced`, or clears an error. All copies have the same digest. */
export function markStored(
  writes: Writes,
  { file, copies, copy }: ClaimedCopy,
  { order }: Pick<NetworkNames, 'order'>,
  held: HeldCopy & { hotRetentionSeconds: number },
): Promise<FileRow | null> {
  const shownBlobId = blobIdWith({ copies, copy }, held, order)
  return writes.write(storing, { file, copy, ...held, shownBlobId, cause: currentCause() })
}

/** The file's blob ID after this copy is stored. */
function blobIdWith(
  { copies, copy }: Pick<ClaimedCopy, 'copies' | 'copy'>,
  { blobId }: Pick<HeldCopy, 'blobId'>,
  order: readonly string[],
): string | null {
  const after = copies.map((one) => (one.network === copy.network ? { ...one, blobId, state: 'stored' as const } : one))
  return blobIdOf(after, order)
}

const asProved = sql`state = 'proved', proved_at = now(), checked_at = now(), attempt = 0, lost_at = null,
  checks_ok = checks_ok + 1, due_at = now() + make_interval(secs => given_check),
  ${begunLease(sql`given_lease_end`, { if: sql`given_renewed` })}`

const proving = manyFiles<OfCopy & { leaseExpiresAt: Date | null; checkSeconds: number }, OnNetwork>({
  ...byNetwork,
  change: (on) => ({
    from: CONFIRMED,
    inTrashToo: true,
    given: {
      lease_end: ['timestamptz', ({ leaseExpiresAt }) => leaseExpiresAt],
      renewed: ['boolean', ({ leaseExpiresAt, copy }) => leaseExpiresAt?.getTime() !== copy.leaseExpiresAt?.getTime()],
      check: ['float8', ({ checkSeconds }) => checkSeconds],
    },
    copies: [outcomesOf(on, asProved)],
    events: [
      {
        type: 'copy.proved',
        payload: sql`jsonb_build_object('network', ${on.network}::text, 'sizeBytes', size_bytes)`,
      },
    ],
  }),
})

/** stored → proved. Checked again after `checkSeconds`. */
export function markProved(
  writes: Writes,
  { file, copy }: ClaimedCopy,
  held: { leaseExpiresAt: Date | null; checkSeconds: number },
): Promise<FileRow | null> {
  return writes.write(proving, { file, copy, ...held, cause: currentCause() })
}

/** stored, proved → planned: the network denies the bytes, so they are stored again. */
export function markLost(
  db: Kysely<FilesDb>,
  { file, copy }: ClaimedCopy,
  { reason }: { reason: string },
): Promise<FileRow | null> {
  const set = sql`state = 'planned', lost_at = coalesce(lost_at, now()), attempt = 0, due_at = now(),
    checks_failed = checks_failed + 1, proved_at = null, renew_due_at = null, billed_bytes = null`
  return guardedUpdate(db, {
    file,
    from: CONFIRMED,
    inTrashToo: true,
    copies: [outcomeOf(copy, set)],
    events: [tellCopy('file.copy_lost', copy, sql`null::text`, { reason })],
  })
}

/** planned → failed. A hot file is in error when no other copy exists or is planned. */
export function markCopyFailed(
  db: Kysely<FilesDb>,
  { file, copies, copy }: ClaimedCopy,
  names: NetworkNames,
  code: FailureCode,
): Promise<FileRow | null> {
  const change = outcomeOf(copy, sql`state = 'failed', due_at = null`)
  const told = { type: 'copy.failed', payload: timelinePayload({ network: copy.network, reason: code }) }
  const others = copies.filter(({ network }) => network !== copy.network)
  const isAlone = !others.some(({ state }) => state === 'planned' || state === 'stored' || state === 'proved')
  if (file.status === 'hot' && isAlone) {
    return markFailed(db, file, names, code, { copies: [change], events: [told] })
  }
  return guardedUpdate(db, { file, from: CONFIRMED, inTrashToo: true, copies: [change], events: [told] })
}

/** → dropping, while all required networks have the file. Still readable until it is removed. */
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
    where: sql`file.evicting_at is null and ${isComplete(required)}
      and not exists (select from copy where copy.file_id = file.id and copy.state = 'dropping')`,
    copies: [{ network: copy.network, set }],
    events: [{ type: 'copy.leaving', payload: timelinePayload({ network: copy.network }) }],
  })
}

/** dropping → dropped. The row keeps its blob ID, so that links still work. */
export function markDropped(db: Kysely<FilesDb>, { file, copy }: ClaimedCopy): Promise<FileRow | null> {
  const set = sql`state = 'dropped', due_at = null, lost_at = null, lease_expires_at = null, renew_due_at = null,
    billed_bytes = null`
  return guardedUpdate(db, {
    file,
    from: CONFIRMED,
    inTrashToo: true,
    copies: [outcomeOf(copy, set)],
    events: [{ type: 'copy.dropped', payload: timelinePayload({ network: copy.network }) }],
  })
}

/** What the network needs to find a copy. */
export function nameOf(copy: NamedCopy): Pick<NamedCopy, 'blobId' | 'reference' | 'ref'> {
  return { blobId: copy.blobId, reference: copy.reference, ref: copy.ref }
}
