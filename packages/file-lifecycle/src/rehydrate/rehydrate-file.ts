import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import { NetworkError } from '@tideport/storage-network/errors'
import { type Kysely, sql } from 'kysely'
import { v4 as uuidv4 } from 'uuid'
import { cutWhenIdle, openCopies } from '../copies/open-bytes.ts'
import type { StoreDeps } from '../copies/store-copy.ts'
import { timelinePayload } from '../state/append-event.ts'
import { readableCopies, readCopies } from '../state/file-copies.ts'
import { guardedUpdate } from '../state/guarded-update.ts'
import { isLive } from '../state/queries.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { writeClaimed } from '../work/claim-step.ts'
import {
  checkSoon,
  comesOfLoss,
  failureReason,
  permanentFailure,
  restoringSeconds,
  retryDelaySeconds,
} from '../work/failures.ts'
import type { OfFile, StepContext } from '../work/handle-job.ts'

export type RehydrateOutcome = 'rehydrated' | 'retry' | 'gave_up' | 'superseded'

/**
 * Copies a cold file's bytes back to the hot tier (docs/explain/life-of-a-file.md §8). Its status stays. A crash
 * repeats it under the same key.
 */
export function rehydrateFile(deps: StoreDeps): OfFile<RehydrateOutcome> {
  return {
    name: 'rehydrate',
    work: (file, context) => bringBack(deps, file, context),
    fail: (file, error) => settleFailure(deps, file, error),
    abandon: (file) => giveUp(deps, file, 'interrupted'),
  }
}

async function bringBack(deps: StoreDeps, file: FileRow, { signal }: StepContext): Promise<RehydrateOutcome> {
  const { db, hotTier, networks, hotRetentionSeconds } = deps
  const named = await writeClaimed(db, file, (current) => nameRehydrated(db, current))
  if (!named?.rehydrateKey) return 'superseded'
  const key = named.rehydrateKey
  await hotTier.abortUploads(key)
  const copies = readableCopies(await readCopies(db, file.id), networks)
  const { bytes } = await openCopies(deps, copies, undefined, signal)
  const copy = cutWhenIdle(bytes, 'storage network')
  try {
    await hotTier.store(key, { mimeType: named.mimeType, body: verified(copy, named) }, signal)
  } finally {
    copy.destroy()
  }
  // As for a confirm, only the object proves that the store has it.
  if ((await hotTier.head(key, { sizeBytes: named.sizeBytes, signal })) !== named.sizeBytes)
    throw new Error('The stored object is missing or incomplete')
  await failpoint('rehydrate.after-store')
  const done = await writeClaimed(db, named, (current) => recordRehydrated(db, current, { hotRetentionSeconds }))
  return done ? 'rehydrated' : 'superseded'
}

/** Fails, so that nothing is stored, unless these are the synced bytes. */
async function* verified(copy: Readable, { sha256, sizeBytes }: FileRow): AsyncGenerator<Uint8Array> {
  const hash = createHash('sha256')
  let readBytes = 0
  for await (const chunk of copy as AsyncIterable<Buffer>) {
    hash.update(chunk)
    readBytes += chunk.length
    yield chunk
  }
  if (readBytes !== sizeBytes || hash.digest('hex') !== sha256) {
    throw new NetworkError('integrity', 'The network returned other bytes than the synced ones')
  }
}

async function settleFailure(deps: StoreDeps, file: FileRow, error: unknown): Promise<RehydrateOutcome> {
  const { db, networks, syncAttemptsMax, syncRetryBaseSeconds } = deps
  if (comesOfLoss(error)) await checkSoon(db, file.id, networks.order)
  const reason = failureReason(error)
  if (permanentFailure(error)) return await giveUp(deps, file, reason)
  const delaySeconds = restoringSeconds(error) ?? retryDelaySeconds(syncRetryBaseSeconds, file.rehydrateAttempt)
  const failure = { reason, delaySeconds }
  const failed = await writeClaimed(db, file, (current) => recordRehydrationFailure(db, current, failure))
  if (!failed) return 'superseded'
  return failed.rehydrateAttempt < syncAttemptsMax ? 'retry' : await giveUp(deps, failed, reason)
}

async function giveUp({ db }: StoreDeps, file: FileRow, reason: string): Promise<RehydrateOutcome> {
  const ended = await writeClaimed(db, file, (current) => giveUpRehydration(db, current, { reason }))
  return ended ? 'gave_up' : 'superseded'
}

/**
 * Requests a rehydration, unless one is due or the hot bytes stay. While the hot copy is being dropped, the rehydration
 * begins afterwards. `hotSeconds`: how long the bytes stay at least. Null: nothing to do, or another write came first.
 */
export function requestRehydration(
  db: Kysely<FilesDb>,
  file: FileRow,
  { hotSeconds }: Partial<HotTime> = {},
): Promise<FileRow | null> {
  return guardedUpdate(db, {
    file,
    from: ['cold'],
    where: sql`file.rehydrate_due_at is null and (file.hot_key is null or file.evicting_at is not null)`,
    set: {
      rehydrateDueAt: sql`now()`,
      rehydrateAttempt: sql`0`,
      ...(hotSeconds !== undefined && { hotUntil: fromNow(hotSeconds) }),
      evictDueAt: sql`case when evicting_at is not null then evict_due_at end`,
    },
    events: [{ type: 'rehydrate.requested', payload: timelinePayload({}) }],
  })
}

interface HotTime {
  hotSeconds: number
}

const fromNow = (seconds: number) => sql`now() + make_interval(secs => ${seconds})`

/** Changes how long the bytes of a rehydrated file stay. Null: they are being removed, or another write came first. */
export function extendHotTime(db: Kysely<FilesDb>, file: FileRow, { hotSeconds }: HotTime): Promise<FileRow | null> {
  const hotUntil = fromNow(hotSeconds)
  return guardedUpdate(db, {
    file,
    from: ['cold'],
    where: sql`file.hot_key is not null and file.evicting_at is null and file.rehydrate_due_at is null`,
    set: { hotUntil, evictDueAt: hotUntil },
    events: [{ type: 'rehydrate.requested', payload: timelinePayload({}) }],
  })
}

/** Writes the object's key before the object exists. An earlier key stays. */
export async function nameRehydrated(db: Kysely<FilesDb>, file: FileRow): Promise<FileRow | null> {
  const result = await sql<FileRow>`
    update file set rehydrate_key = coalesce(rehydrate_key, ${`hot/${file.id}/${uuidv4()}`}),
      version = version + 1, updated_at = now()
    where id = ${file.id} and version = ${file.version} and fencing_token = ${file.fencingToken} and status = 'cold'
      and hot_key is null and ${isLive}
    returning *`.execute(db)
  return result.rows[0] ?? null
}

export function recordRehydrated(
  db: Kysely<FilesDb>,
  file: FileRow,
  { hotRetentionSeconds }: { hotRetentionSeconds: number },
): Promise<FileRow | null> {
  // The request may have asked for longer.
  const hotUntil = sql`greatest(hot_until, ${fromNow(hotRetentionSeconds)})`
  return guardedUpdate(db, {
    file,
    from: ['cold'],
    byClaim: 'file',
    where: sql`file.hot_key is null and file.rehydrate_key is not null`,
    set: {
      hotKey: sql`rehydrate_key`,
      rehydrateKey: sql`null`,
      rehydrateDueAt: sql`null`,
      rehydrateAttempt: sql`0`,
      hotUntil,
      evictDueAt: hotUntil,
      evictAttempt: sql`0`,
    },
    usage: { hotBytes: sql`size_bytes` },
    events: [{ type: 'rehydrate.done', payload: timelinePayload({ sizeBytes: file.sizeBytes }) }],
  })
}

export function recordRehydrationFailure(
  db: Kysely<FilesDb>,
  file: FileRow,
  { reason, delaySeconds }: { reason: string; delaySeconds: number },
): Promise<FileRow | null> {
  const attempt = file.rehydrateAttempt + 1
  return guardedUpdate(db, {
    file,
    from: ['cold'],
    byClaim: 'file',
    set: {
      rehydrateAttempt: sql`rehydrate_attempt + 1`,
      rehydrateDueAt: sql`now() + make_interval(secs => ${delaySeconds})`,
    },
    events: [{ type: 'rehydrate.failed', payload: timelinePayload({ attempt, reason, delaySeconds }) }],
  })
}

/** Stops until the next request. Eviction removes an object under the key. */
export function giveUpRehydration(
  db: Kysely<FilesDb>,
  file: FileRow,
  { reason }: { reason: string },
): Promise<FileRow | null> {
  return guardedUpdate(db, {
    file,
    from: ['cold'],
    byClaim: 'file',
    set: {
      rehydrateDueAt: sql`null`,
      hotUntil: sql`null`,
      evictDueAt: sql`case when rehydrate_key is not null then now() end`,
    },
    events: [{ type: 'rehydrate.gave_up', payload: timelinePayload({ reason }) }],
  })
}

/** `rehydrate_due_at` stays, because a request may have arrived in the meantime. */
export function recordDropped(db: Kysely<FilesDb>, file: FileRow): Promise<FileRow | null> {
  return guardedUpdate(db, {
    file,
    from: ['cold'],
    byClaim: 'file',
    set: Object.fromEntries(
      ['hotKey', 'rehydrateKey', 'hotUntil', 'evictingAt', 'evictDueAt'].map((column) => [column, sql`null`]),
    ),
    ...(file.hotKey !== null && { usage: { hotBytes: sql`-size_bytes` } }),
    events: [{ type: 'rehydrate.dropped', payload: timelinePayload({}) }],
  })
}
