import { currentCause } from '@tideport/service-kit/context/request-context'
import { preparedFor } from '@tideport/service-kit/postgres/prepared'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { eventPayload } from './append-event.ts'
import { blobIdIn, type FileCopies, isComplete, type NetworkNames } from './file-copies.ts'
import { changeStatement, type FileChange, type Guarded, guardedUpdate, guardedUpdates } from './guarded-update.ts'
import { type FailureCode, failures, noteTransition, type Transition, transitions } from './state.ts'
import type { FileRow, FilesDb } from './tables.ts'
import { takingPaths } from './take-path.ts'
import type { Held, ManyRows, Writes } from './writes.ts'

type Moving<Item> = Omit<FileChange<Item>, 'from' | 'events'> & {
  /** Further events, before the event of the transition. */
  events?: FileChange<Item>['events']
  blobId: RawBuilder<unknown>
}

/** Converts a transition to a change of a file. */
export function moving<Item>(
  { from, to, event }: Transition,
  { events = [], blobId, set, ...change }: Moving<Item>,
): FileChange<Item> {
  const told = { type: event, payload: eventPayload(event, { blobId }) }
  return { ...change, from, set: { status: sql`${to}`, ...set }, events: [...events, told] }
}

async function move(
  db: Kysely<FilesDb>,
  transition: Transition,
  file: FileRow,
  change: Moving<Guarded>,
): Promise<FileRow | null> {
  const moved = await guardedUpdate(db, { file, ...moving(transition, change) })
  if (moved) noteTransition(db, file.status, moved)
  return moved
}

/** A change of many files. The status of each may change. */
export function manyFiles<Item extends Guarded, Form = undefined>({
  form,
  change,
  ...rows
}: Pick<ManyRows<Item, FileRow>, 'key' | 'turn' | 'waitsWith'> & {
  /** Further input of the change, from the configuration only, because each value's statement stays cached. */
  form?: (item: Item) => Form
  change: (form: Form) => FileChange<Item>
}): ManyRows<Item, FileRow> {
  const statementFor = preparedFor(({ own, held }: { own: Form; held: Held }) => changeStatement(change(own), held))
  return {
    ...rows,
    async write(db, items, held) {
      const changed = await guardedUpdates(db, items, statementFor({ own: form?.(items[0]) as Form, held }))
      for (const [index, file] of changed.entries()) {
        const before = items[index]?.file.status
        if (file && before !== undefined && before !== file.status) noteTransition(db, before, file)
      }
      return changed
    },
  }
}

function becomingHot<Item>(
  { required }: Pick<NetworkNames, 'required'>,
  more: Pick<Moving<Item>, 'set' | 'takesPath'>,
): FileChange<Item> {
  return moving(transitions.markHot, {
    set: {
      confirmedAt: sql`now()`,
      completingAt: sql`null`,
      claimedUntil: sql`null`,
      unfinishedClaims: sql`0`,
      ifOccupant: sql`null`,
      ...more.set,
    },
    ...(more.takesPath && { takesPath: more.takesPath }),
    plans: required,
    usage: { hotBytes: sql`size_bytes`, openUploads: sql`-1`, filesAdded: sql`1`, bytesAdded: sql`size_bytes` },
    blobId: sql`null::text`,
  })
}

const hot = manyFiles<Guarded & { networks: NetworkNames }, Pick<NetworkNames, 'required'>>({
  turn: 'accounts',
  waitsWith: ({ file }) => file.accountId,
  form: ({ networks: { required } }) => ({ required }),
  change: (networks) => becomingHot(networks, { set: { onConflict: sql`'keep'` } }),
})

/**
 * uploading → hot, for a file whose object exists in the store with its declared size. Plans its copies. The file
 * shares its path with any file that is already there.
 */
export function markHot(writes: Writes, file: FileRow, networks: NetworkNames): Promise<FileRow | null> {
  return writes.write(hot, { file, networks, cause: currentCause() })
}

interface Taking {
  networks: NetworkNames
  retentionSeconds: number
}

/** For files that take their paths. A path taken by another write violates an index, which aborts a transaction. */
export const hotTakings = manyFiles<Guarded & Taking, Taking>({
  // Waits for a locked file at the path.
  key: ({ file }) => file.accountId,
  waitsWith: ({ file }) => file.accountId,
  form: ({ networks: { required, order }, retentionSeconds }) => ({ networks: { required, order }, retentionSeconds }),
  change: ({ networks, retentionSeconds }) =>
    becomingHot(networks, {
      takesPath: {
        key: sql`file.key`,
        onConflict: sql`file.on_conflict`,
        ifOccupant: sql`file.if_occupant`,
        retentionSeconds,
        networks,
      },
    }),
})
const hotAtPath = takingPaths(hotTakings)

/**
 * `markHot` for `fail`, which refuses a taken path, and `replace`, which trashes the file there. Returns null also when
 * another write took the path at the same time.
 */
export function markHotAtPath(
  writes: Writes,
  file: FileRow,
  { networks, retentionSeconds }: Taking,
): Promise<FileRow | null> {
  return writes.write(hotAtPath, { file, networks, retentionSeconds, cause: currentCause() })
}

const cold = manyFiles<Guarded & { names: Pick<NetworkNames, 'order'> }, Pick<NetworkNames, 'order'>>({
  waitsWith: ({ file }) => file.accountId,
  form: ({ names: { order } }) => ({ order }),
  change: (names) =>
    moving(transitions.markCold, {
      set: {
        evictedAt: sql`now()`,
        ...Object.fromEntries(['hotKey', 'hotUntil', 'evictingAt', 'evictDueAt'].map((column) => [column, sql`null`])),
      },
      where: sql`file.evicting_at is not null`,
      usage: { hotBytes: sql`-size_bytes` },
      byClaim: 'file',
      blobId: blobIdIn(names),
    }),
})

/** synced → cold, after the copies were checked again and the hot object was deleted. */
export function markCold(writes: Writes, file: FileRow, names: Pick<NetworkNames, 'order'>): Promise<FileRow | null> {
  return writes.write(cold, { file, names, cause: currentCause() })
}

/** → error: failed permanently. Keeps the hot bytes, and the key of a missing hot object. */
export function markFailed(
  db: Kysely<FilesDb>,
  file: FileRow,
  names: Pick<NetworkNames, 'order'>,
  code: FailureCode,
  more: Pick<Moving<Guarded>, 'byClaim' | 'copies' | 'events'> = {},
): Promise<FileRow | null> {
  return move(db, transitions.markFailed, file, {
    ...more,
    set: {
      erroredAt: sql`now()`,
      errorCode: sql`${code}`,
      error: sql`${failures[code]}`,
      evictingAt: sql`null`,
      evictDueAt: sql`null`,
      rehydrateDueAt: sql`null`,
      hotUntil: sql`null`,
    },
    blobId: blobIdIn(names),
  })
}

/**
 * error → the status that fits the file's bytes: `hot` when no copy has them, else `synced` or `cold`. Plans failed
 * copies again, and makes waiting copies due now. Null also while a worker may still have the claim of the file.
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
    set: { ...recovered, ...(!isHeld && { syncedAt: sql`null`, evictedAt: sql`null` }) },
    where: sql`(file.hot_key is not null or ${isHeld}) and (file.claimed_until is null or file.claimed_until <= now())`,
    plans: required.filter((network) => isToBePlanned(copies, network)),
    copies: copies
      .filter(({ network, state }) => required.includes(network) && (state === 'failed' || state === 'planned'))
      .map(({ network }) => ({ network, set: sql`state = 'planned', attempt = 0, due_at = now()` })),
    blobId: blobIdIn(names),
  })
}

/** Clears the error before any next status. */
const recovered = { error: sql`null`, errorCode: sql`null`, erroredAt: sql`null`, evictAttempt: sql`0` }

function recovery({ hotKey }: FileRow): Transition {
  return hotKey === null ? transitions.recoverCold : transitions.recoverSynced
}

function isToBePlanned(copies: FileCopies['copies'], network: string): boolean {
  const copy = copies.find((one) => one.network === network)
  return copy === undefined || copy.state === 'dropped'
}

interface Evicting {
  required: readonly string[]
  waitSeconds: number
}

const evicting = manyFiles<Guarded & Evicting, Evicting>({
  waitsWith: ({ file }) => file.id,
  form: ({ required, waitSeconds }) => ({ required, waitSeconds }),
  change: ({ required, waitSeconds }) => ({
    from: ['synced', 'cold'],
    byClaim: 'file',
    where: sql`${isComplete(required)}
      and not exists (select from copy where copy.file_id = file.id and copy.state = 'dropping')`,
    set: {
      evictingAt: sql`now()`,
      evictDueAt: sql`now() + make_interval(secs => ${waitSeconds})`,
      evictAttempt: sql`0`,
    },
    events: [{ type: 'evict.begun', payload: sql`jsonb_build_object('sha256', sha256, 'sizeBytes', size_bytes)` }],
  }),
})

/**
 * Begins an eviction: downloads use service URLs from now on, and the hot object is deleted after `waitSeconds`.
 * Requires a proved copy on every required network, and no copy that is being dropped.
 */
export function beginEvicting(
  writes: Writes,
  file: FileRow,
  { required }: NetworkNames,
  { waitSeconds }: { waitSeconds: number },
): Promise<FileRow | null> {
  return writes.write(evicting, { file, required, waitSeconds, cause: currentCause() })
}
