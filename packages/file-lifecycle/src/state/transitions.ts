import { currentTrace } from '@tideport/service-kit/context/request-context'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { eventPayload, timelinePayload } from './append-event.ts'
import { blobIdIn, type FileCopies, isComplete, type NetworkNames } from './file-copies.ts'
import { type CopyChange, type GuardedUpdate, guardedUpdate } from './guarded-update.ts'
import { markAllHot } from './mark-all-hot.ts'
import { type FailureCode, failures, type Transition, transitions } from './state.ts'
import type { FileRow, FilesDb } from './tables.ts'
import { noteTransition } from './transition-metrics.ts'

interface Details extends Pick<GuardedUpdate, 'where' | 'usage' | 'byClaim' | 'copies' | 'plans' | 'inTrashToo'> {
  set: RawBuilder<unknown>
  /** Beside the one that tells of the transition. */
  events?: GuardedUpdate['events']
  blobId: RawBuilder<unknown>
}

export async function move(
  db: Kysely<FilesDb>,
  { from, to, event }: Transition,
  file: FileRow,
  { events = [], blobId, ...details }: Details,
): Promise<FileRow | null> {
  const payload = eventPayload(event, { blobId })
  const moved = await guardedUpdate(db, {
    ...details,
    file,
    from,
    set: sql`status = ${to}, ${details.set}`,
    events: [...events, { type: event, payload }],
  })
  if (moved) noteTransition(db, file.status, moved)
  return moved
}

/** uploading → hot, as `markAllHot`, of one file and in the trace we are part of. */
export async function markHot(db: Kysely<FilesDb>, file: FileRow, networks: NetworkNames): Promise<FileRow | null> {
  return (await markAllHot(db, [{ file, trace: currentTrace() }], { ...networks, unlessHeld: false }))[0] ?? null
}

/** synced → cold, once the copies were looked at again and the hot object is gone. */
export function markCold(
  db: Kysely<FilesDb>,
  file: FileRow,
  names: Pick<NetworkNames, 'order'>,
): Promise<FileRow | null> {
  return move(db, transitions.markCold, file, {
    set: sql`evicted_at = now(), hot_key = null, hot_until = null, evicting_at = null, evict_due_at = null`,
    where: sql`evicting_at is not null`,
    usage: sql`hot_bytes = account.hot_bytes - changed.size_bytes`,
    byClaim: 'file',
    blobId: blobIdIn(names),
  })
}

/** → error: given up for good. Hot bytes are kept, and so is the name of those that are missing. */
export function markFailed(
  db: Kysely<FilesDb>,
  file: FileRow,
  names: Pick<NetworkNames, 'order'>,
  code: FailureCode,
  more: {
    byClaim?: 'file'
    copies?: readonly CopyChange[]
    events?: GuardedUpdate['events']
  } = {},
): Promise<FileRow | null> {
  return move(db, transitions.markFailed, file, {
    ...more,
    set: sql`errored_at = now(), error_code = ${code}, error = ${failures[code]}, evicting_at = null,
      evict_due_at = null, rehydrate_due_at = null, hot_until = null`,
    blobId: blobIdIn(names),
  })
}

/**
 * error → where the file's bytes are: `hot` when no copy holds, else `synced` or `cold`. Copies that were given up are
 * planned again, and those that wait for another attempt wait no longer. Not while somebody may still be at work for
 * the file.
 */
export function markRetried(
  db: Kysely<FilesDb>,
  { file, copies }: FileCopies,
  names: NetworkNames,
): Promise<FileRow | null> {
  const { required } = names
  const isHeld = copies.some(({ state }) => state === 'stored' || state === 'proved')
  const { event } = transitions.retryHot
  const transition = isHeld ? { ...recovery(file), event } : transitions.retryHot
  return move(db, transition, file, {
    set: sql`${recovered}${isHeld ? sql`` : sql`, synced_at = null, evicted_at = null`}`,
    where: sql`(hot_key is not null or ${isHeld}) and (claimed_until is null or claimed_until <= now())`,
    plans: required.filter((network) => isToBePlanned(copies, network)),
    copies: copies
      .filter(({ network, state }) => required.includes(network) && (state === 'failed' || state === 'planned'))
      .map((copy) => ({ copy, set: sql`state = 'planned', attempt = 0, due_at = now()` })),
    blobId: blobIdIn(names),
  })
}

/** What ends an error, whatever comes next. */
export const recovered = sql`error = null, error_code = null, errored_at = null, evict_attempt = 0`

export function recovery({ hotKey }: FileRow): Transition {
  return hotKey === null ? transitions.recoverCold : transitions.recoverSynced
}

function isToBePlanned(copies: FileCopies['copies'], network: string): boolean {
  const copy = copies.find((one) => one.network === network)
  return copy === undefined || copy.state === 'dropped'
}

/**
 * The copies may stand in for the hot one: downloads are service URLs from here, and deletion follows after
 * `waitSeconds`. Demands that every required network has a proved copy, and that none is being dropped.
 */
export function beginEvicting(
  db: Kysely<FilesDb>,
  file: FileRow,
  { required }: NetworkNames,
  { waitSeconds }: { waitSeconds: number },
): Promise<FileRow | null> {
  return guardedUpdate(db, {
    file,
    from: ['synced', 'cold'],
    byClaim: 'file',
    where: sql`${isComplete(required)}
      and not exists (select from copy where copy.file_id = file.id and copy.state = 'dropping')`,
    set: sql`evicting_at = now(), evict_due_at = now() + make_interval(secs => ${waitSeconds}), evict_attempt = 0`,
    events: [{ type: 'evict.begun', payload: timelinePayload({ sha256: file.sha256, sizeBytes: file.sizeBytes }) }],
  })
}
