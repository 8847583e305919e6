import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { NetworkError } from '@tideport/storage-network/errors'
import { type Kysely, sql } from 'kysely'
import type { Networks } from '../copies/networks.ts'
import { reconcileFile } from '../copies/reconcile.ts'
import { recordDropped } from '../rehydrate/rehydrate-file.ts'
import { nameOf } from '../state/copy-transitions.ts'
import { claimedAtMs, copyOn, type FileCopies, hasEnoughLease, isNamed, withCopies } from '../state/file-copies.ts'
import type { CopyRow, FileRow, FilesDb } from '../state/tables.ts'
import { beginEvicting, markCold } from '../state/transitions.ts'
import type { Writes } from '../state/writes.ts'
import { claimOn } from '../work/claim.ts'
import { writeClaimed } from '../work/claim-step.ts'
import { checkSoon } from '../work/failures.ts'
import type { OfFile, StepContext } from '../work/handle-job.ts'

const DRY_RUN_AGAIN_SECONDS = 3600
const DOUBLINGS_MAX = 6

/**
 * synced → cold in two claims (docs/explain/life-of-a-file.md §6). The first, after all required copies are proved,
 * stops presigned downloads. The second, after their URLs have expired, queries every network again and deletes the hot
 * object. Both can be repeated. Eviction never sets a file's status to error. Restored bytes of a cold file are evicted
 * the same way (§8).
 */
export function evictFile(deps: EvictDeps): OfFile<EvictOutcome> {
  return {
    name: 'evict',
    work: (file, context) => evict(deps, file, context),
    fail: (file) => waitForCopies(deps, file),
  }
}

async function evict(deps: EvictDeps, file: FileRow, context: StepContext): Promise<EvictOutcome> {
  if (file.status === 'cold' && file.hotKey === null) return await dropHotCopy(deps, file, context)
  if (deps.evictionDryRun) return await reportOnly(deps, file)
  if (file.evictingAt === null) return await begin(deps, file)
  const found = await withCopies(deps.db, file)
  // A network was added, or its copy is stored again.
  if (!deps.networks.required.every((name) => copyOn(found, name)?.state === 'proved'))
    return await waitForCopies(deps, file)
  const doubtful = await findDoubtful(deps.networks, found, context.signal)
  if (doubtful.length > 0) return await doubt(deps, file, doubtful)
  return await dropHotCopy(deps, file, context)
}

async function begin(deps: EvictDeps, file: FileRow): Promise<EvictOutcome> {
  const { db, writes, networks, downloadUrlSeconds, clockSkewSeconds } = deps
  const wait = { waitSeconds: downloadUrlSeconds + clockSkewSeconds }
  const evicting = await writeClaimed(db, file, (current) => beginEvicting(writes, current, networks, wait))
  return evicting ? 'evicting' : await waitForCopies(deps, file)
}

/** The networks that do not confirm their copies. */
async function findDoubtful(networks: Networks, found: FileCopies, signal: AbortSignal): Promise<string[]> {
  const nowMs = claimedAtMs(found.file)
  const answers = networks.required.map(async (name) => {
    const copy = copyOn(found, name)
    return copy && (await isThere(networks, found.file, copy, nowMs, signal)) ? [] : [name]
  })
  return (await Promise.all(answers)).flat()
}

async function isThere(
  networks: Networks,
  { sizeBytes }: FileRow,
  copy: CopyRow,
  nowMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const network = networks.get(copy.network)
  if (network === undefined || !isNamed(copy)) return false
  const answer = await network.stat(nameOf(copy), signal).catch(unlessNetwork)
  if (answer?.state !== 'present' || answer.sizeBytes !== sizeBytes) return false
  return hasEnoughLease(copy, answer.expiresAt, nowMs)
}

/** Schedules checks of these copies; the file stays evicting and hot. */
async function doubt(deps: EvictDeps, file: FileRow, doubtful: readonly string[]): Promise<EvictOutcome> {
  deps.log.error({ fileId: file.id, networks: doubtful }, 'copies of an evicting file are not confirmed')
  await checkSoon(deps.db, file.id, doubtful)
  return await waitForCopies(deps, file)
}

function unlessNetwork(error: unknown): null {
  if (error instanceof NetworkError) return null
  throw error
}

async function waitForCopies({ db, evictionRetryBaseSeconds }: EvictDeps, file: FileRow): Promise<EvictOutcome> {
  const delaySeconds = evictionRetryBaseSeconds * 2 ** Math.min(file.evictAttempt, DOUBLINGS_MAX)
  const later = sql`evict_attempt = evict_attempt + 1, evict_due_at = now() + make_interval(secs => ${delaySeconds})`
  return (await claimOn(db, file).end(later)) ? 'waiting' : 'superseded'
}

async function reportOnly({ db, log }: EvictDeps, file: FileRow): Promise<EvictOutcome> {
  log.info({ fileId: file.id, sizeBytes: file.sizeBytes }, 'dry run: hot copy kept')
  await claimOn(db, file).handBack('evict', DRY_RUN_AGAIN_SECONDS)
  return 'dry_run'
}

/**
 * Deletes the hot object of a checked file, then writes that. A crash in between repeats both; reads use the networks
 * meanwhile.
 */
export async function dropHotCopy(
  deps: Pick<EvictDeps, 'db' | 'writes' | 'hotTier' | 'networks' | 'rate' | 'settleSeconds'>,
  file: FileRow,
  { signal }: StepContext,
): Promise<EvictOutcome> {
  const { db, writes, hotTier, networks, rate } = deps
  const waitSeconds = await rate.take()
  if (waitSeconds > 0) {
    await claimOn(db, file).handBack('evict', waitSeconds)
    return 'rate_capped'
  }
  await failpoint('evict.before-delete')
  signal.throwIfAborted()
  if (file.status === 'cold') await clearRehydrated(hotTier, file, signal)
  else if (file.hotKey !== null) await hotTier.remove(file.hotKey, signal)
  await failpoint('evict.after-delete')
  const cold = await writeClaimed(db, file, (current) =>
    current.status === 'cold' ? recordDropped(db, current) : markCold(writes, current, networks),
  )
  if (!cold) return 'superseded'
  // Drops of copies have waited until the eviction was complete.
  await reconcileFile(deps, file.id)
  return 'evicted'
}

/** Open uploads come first, because they could create the object again. */
async function clearRehydrated(hotTier: HotTier, file: FileRow, signal: AbortSignal): Promise<void> {
  const key = file.hotKey ?? file.rehydrateKey
  if (key === null) return
  await hotTier.abortUploads(key)
  signal.throwIfAborted()
  await hotTier.remove(key, signal)
}

export interface EvictDeps {
  db: Kysely<FilesDb>
  writes: Writes
  hotTier: HotTier
  networks: Networks
  rate: EvictionRate
  log: Log
  downloadUrlSeconds: number
  clockSkewSeconds: number
  evictionRetryBaseSeconds: number
  evictionDryRun: boolean
  settleSeconds: number
}

/** `waiting`: the copies are not ready. */
export type EvictOutcome = 'evicting' | 'evicted' | 'waiting' | 'rate_capped' | 'dry_run' | 'superseded'

/** A limit per minute that all processes share. */
export interface EvictionRate {
  /** Without a query. */
  hasRoom(): boolean
  /** 0, or about how many seconds to wait. */
  take(): Promise<number>
}

type Waiting = PromiseWithResolvers<number>

/** At most `perMinute` takes in any 60 seconds, counted in one row. Concurrent takes of this process share a query. */
export function createEvictionRate(db: Kysely<FilesDb>, perMinute: number): EvictionRate {
  let waiting: Waiting[] = []
  let isAsking = false
  let fullUntil = 0

  async function askForAll(): Promise<void> {
    isAsking = true
    while (waiting.length > 0) {
      const asked = waiting
      waiting = []
      await askFor(asked)
    }
    isAsking = false
  }

  async function askFor(asked: Waiting[]): Promise<void> {
    try {
      const { granted, waitSeconds } = await grant(db, perMinute, asked.length)
      if (granted < asked.length) fullUntil = performance.now() + waitSeconds * 1000
      for (const [index, { resolve }] of asked.entries()) resolve(index < granted ? 0 : waitSeconds)
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
  }

  return {
    hasRoom: () => performance.now() >= fullUntil,
    take() {
      const taken = Promise.withResolvers<number>()
      waiting.push(taken)
      if (!isAsking) void askForAll()
      return taken.promise
    },
  }
}

const LEAST_WAIT_SECONDS = 0.1
/** Takes are counted per full second, so each second is kept one second longer. */
const REMEMBERED_SECONDS = 61

/** A statement that reads only the row that it updates also sees the values of those it waited for. */
async function grant(
  db: Kysely<FilesDb>,
  perMinute: number,
  wanted: number,
): Promise<{ granted: number; waitSeconds: number }> {
  const clock = sql`extract(epoch from clock_timestamp())`
  const { rows } = await sql<{ granted: number; waitSeconds: number }>`
    update eviction_rate set (taken, granted) = (
      select kept || jsonb_build_object(second, coalesce((kept ->> second)::int, 0) + recent.granted), recent.granted
      from (
        select coalesce(jsonb_object_agg(key, value), '{}') as kept, floor(${clock})::bigint::text as second,
          greatest(0, least(${wanted}::int, ${perMinute}::int - coalesce(sum(value::int), 0)))::int as granted
        from jsonb_each(eviction_rate.taken) where key::bigint > ${clock} - ${REMEMBERED_SECONDS}::int
      ) as recent)
    returning granted,
      ((select min(key::bigint) from jsonb_each(taken)) + ${REMEMBERED_SECONDS}::int - ${clock})::float8 as wait_seconds`.execute(
    db,
  )
  const [answer] = rows
  if (!answer) throw new Error('The row of the table eviction_rate is missing')
  return { granted: answer.granted, waitSeconds: Math.max(LEAST_WAIT_SECONDS, answer.waitSeconds) }
}
