import type { FileStatus } from '@tideport/contracts/public/files'
import { type JobKind, jobKind } from '@tideport/contracts/public/jobs'
import { type RunKind, runKind } from '@tideport/contracts/public/operator-runs'
import type { NetworkNames } from '@tideport/file-lifecycle/state/file-copies'
import { isLive } from '@tideport/file-lifecycle/state/queries'
import { isTurnFree, takeTurn } from '@tideport/file-lifecycle/state/serialize'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { oldestDueAgeSeconds, queueName } from '@tideport/file-lifecycle/work/dispatch'
import type { Queue } from '@tideport/file-lifecycle/work/steps'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { oldestByStatus } from './oldest-files.ts'

/**
 * New statistics are collected only after this time, and after this multiple of the time that the last collection took.
 */
const PERIOD_SECONDS = 15
const PERIOD_PER_SECOND_TAKEN = 20
const TURN = 'take figures'
const TURN_SECONDS = 30
/** Older statistics are not shown. */
const GOOD_SECONDS = 600
const STATEMENT_TIMEOUT = '2s'
/** Stuck steps remain due, so they are among the oldest rows. */
const LOOKED_AT_FOR_CLAIMS = 10_000
/** The counts are usually zero or small. */
const COUNTED_MAX = 100_000
/** Limit for failed copies. */
const FAILED_MAX = 10_000
/** Limit for copies to move while a network is emptied or filled again. */
const COPIES_MAX = 1_000_000

/** Invariants of rows that are checked. */
const violationRules = ['no_checksum', 'no_hot_copy'] as const
export type ViolationRule = (typeof violationRules)[number]

export interface OpenJobs {
  open: number
  /** Age of the oldest unfinished job. 0: none. */
  oldestSeconds: number
  /**
   * How long the oldest due job that no process has claimed, and that waits for no other job, has been due. 0: none.
   */
  dueSeconds: number
}

/** Excludes the trash. A count that took too long is missing. */
export interface FileStatistics {
  files: Record<FileStatus, number>
  /** Excludes cold files, which are not in the hot tier. */
  oldestSeconds: Partial<Record<FileStatus, number>>
  violations: Record<ViolationRule, number>
  /** The most consecutive unfinished claims of one step. */
  unfinishedClaimsMax: number
  /** Copies on networks that are leaving or not configured, up to 1,000,000. */
  copiesLeft: Record<string, number>
  /** Lost copies that are not stored again yet, up to 1,000,000. */
  copiesLost: Record<string, number>
  /** Failed copies of healthy files, up to 10,000. */
  copiesFailed: number
  /** Unfinished account jobs, up to 100,000 in total. */
  jobs: Record<JobKind, OpenJobs>
  runs: Record<RunKind, RunFigures>
  hotBytes: number
  /** Unpublished events, up to 100,000, as for `eventsFailed`. */
  eventsUnpublished: number
  /** Events that violate their contract. */
  eventsFailed: number
  eventsUnpublishedOldestSeconds: number
  eventResendLeftSeconds: number
  /** Keyed by queue name. */
  dueSeconds: Record<string, number>
  tookSeconds: number
}

export interface RunFigures {
  /** 1: a run is unfinished. */
  open: number
  /** 1: the last run failed. */
  failed: number
  /** 0: unknown. */
  endedSeconds: number
}

type Part = (db: Transaction<FilesDb>, networks: NetworkNames) => Promise<Partial<FileStatistics>>

const parts: readonly Part[] = [
  readAges,
  readClaims,
  readViolations,
  readCopiesLeft,
  readCopiesLost,
  readCopiesFailed,
  readJobs,
  readRuns,
  readHotBytes,
  readEvents,
  countFiles,
]

/** The last statistics of any process, and whether new ones are due. */
export async function readStatistics(db: Kysely<FilesDb>) {
  const { rows } = await sql<{ figures: Partial<FileStatistics>; takenAt: Date | null; isDue: boolean }>`
    select case when taken_at > now() - make_interval(secs => ${GOOD_SECONDS}) then figures else '{}' end as figures,
      taken_at, ${isTurnFree(TURN)} as is_due
    from file_statistics`.execute(db)
  return rows[0] ?? { figures: {}, takenAt: null, isDue: false }
}

/**
 * Collects statistics in one process at a time. Each statement is limited to 2 s, and collection to a twentieth of the
 * time, regardless of the number of files.
 */
export async function takeStatistics(db: Kysely<FilesDb>, networks: NetworkNames, log: Log): Promise<void> {
  const turn = await takeTurn(db, TURN, TURN_SECONDS)
  if (turn === null) return
  const startedAt = performance.now()
  let figures: Partial<FileStatistics> = {}
  for (const part of parts) {
    const found = await inTime(db, (trx) => part(trx, networks)).catch((error: unknown) => {
      log.warn({ err: error, figures: part.name }, 'could not collect the statistics of all files')
    })
    figures = { ...figures, ...found }
  }
  figures.tookSeconds = (performance.now() - startedAt) / 1000
  await sql`
    update file_statistics set figures = ${JSON.stringify(figures)}::jsonb, taken_at = now() where ${turn.isOurs}`.execute(
    db,
  )
  await turn.end(Math.max(PERIOD_SECONDS, figures.tookSeconds * PERIOD_PER_SECOND_TAKEN))
}

function inTime<T>(db: Kysely<FilesDb>, part: (trx: Transaction<FilesDb>) => Promise<T>): Promise<T> {
  return db.transaction().execute(async (trx) => {
    await sql`set local statement_timeout = ${sql.lit(STATEMENT_TIMEOUT)}`.execute(trx)
    return await part(trx)
  })
}

async function readAges(db: Transaction<FilesDb>, { order }: NetworkNames): Promise<Partial<FileStatistics>> {
  const ofNetworks = order.flatMap((network): Queue[] => [
    { step: 'store', network },
    { step: 'prove', network },
  ])
  const dueSeconds: Record<string, number> = {}
  for (const queue of [...ofNetworks, { step: 'evict' } as const, { step: 'rehydrate' } as const]) {
    dueSeconds[queueName(queue)] = await oldestDueAgeSeconds(db, queue)
  }
  return { oldestSeconds: await oldestByStatus(db), dueSeconds }
}

/** No index covers claims, because they change with each step. Stuck rows are among the oldest due ones. */
async function readClaims(db: Transaction<FilesDb>, { order }: NetworkNames): Promise<Partial<FileStatistics>> {
  const amongFiles = (due: 'evict_due_at' | 'rehydrate_due_at') => sql`
    (select unfinished_claims from file
      where ${sql.ref(due)} <= now() and deleted_at is null and purging_at is null
      order by ${sql.ref(due)} limit ${LOOKED_AT_FOR_CLAIMS})`
  // Counts by network and state, like the index.
  const amongCopies = (network: string, state: 'planned' | 'stored') => sql`
    (select unfinished_claims from copy where network = ${network} and state = ${state} and due_at <= now()
      order by due_at limit ${LOOKED_AT_FOR_CLAIMS})`
  const ofNetworks = order.flatMap((network) => [amongCopies(network, 'planned'), amongCopies(network, 'stored')])
  const all = sql.join([...ofNetworks, amongFiles('evict_due_at'), amongFiles('rehydrate_due_at')], sql` union all `)
  const { rows } = await sql<{ most: number }>`
    select coalesce(max(unfinished_claims), 0) as most from (${all}) as due`.execute(db)
  return { unfinishedClaimsMax: rows[0]?.most ?? 0 }
}

/**
 * Skips required networks, where all files have copies; the status counts cover them. Walks the index from one network
 * name to the next.
 */
async function readCopiesLeft(
  db: Transaction<FilesDb>,
  { required, order }: NetworkNames,
): Promise<Partial<FileStatistics>> {
  const { rows } = await sql<{ network: string; count: number }>`
    with recursive held as (
      (select network from copy where state <> 'dropped' order by network limit 1)
      union all
      select (select network from copy where state <> 'dropped' and network > held.network order by network limit 1)
      from held where network is not null
    )
    select network, (
      select count(*) from (
        select from copy where copy.network = held.network and state <> 'dropped' limit ${COPIES_MAX}) as left_there)
    from held where network is not null and network <> all(${required}::text[])`.execute(db)
  const empty = order.filter((network) => !required.includes(network)).map((network) => [network, 0])
  return { copiesLeft: Object.fromEntries([...empty, ...rows.map(({ network, count }) => [network, count])]) }
}

/** The condition of the index `copy_lost`. */
async function readCopiesLost(db: Transaction<FilesDb>, { order }: NetworkNames): Promise<Partial<FileStatistics>> {
  const { rows } = await sql<{ network: string; count: number }>`
    select network, (
      select count(*) from (
        select from copy where copy.network = wanted.network and state = 'planned' and lost_at is not null
          and due_at is not null limit ${COPIES_MAX}) as lost)
    from unnest(${order}::text[]) as wanted (network)`.execute(db)
  return { copiesLost: Object.fromEntries(rows.map(({ network, count }) => [network, count])) }
}

/**
 * Looks up the file of each copy, because files in error, which are counted by status, also have failed copies.
 * Therefore reads twice as many rows.
 */
async function readCopiesFailed(db: Transaction<FilesDb>): Promise<Partial<FileStatistics>> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from (
      select from (select file_id from copy where state = 'failed' limit ${2 * FAILED_MAX}) as failed
      join file on file.id = file_id where status <> 'error' and ${isLive} limit ${FAILED_MAX}) as counted`.execute(db)
  return { copiesFailed: rows[0]?.count ?? 0 }
}

/** Jobs that wait for others of their lane, or for a retry, are not due. */
async function readJobs(db: Transaction<FilesDb>): Promise<Partial<FileStatistics>> {
  const { rows } = await sql<OpenJobs & { kind: JobKind }>`
    select kind, count(*) as open, ${secondsSince(sql`min(created_at)`)} as oldest_seconds,
      ${secondsSince(sql`min(due_at) filter (where is_left)`)} as due_seconds
    from (
      select kind, created_at, due_at, due_at <= now() and not is_slow and (claimed_until is null or claimed_until <= now())
        and not exists (select from account_job as earlier where earlier.account_id = job.account_id
          and earlier.lane = job.lane and earlier.place < job.place and earlier.due_at is not null) as is_left
      from account_job as job where due_at is not null order by due_at limit ${COUNTED_MAX}
    ) as open group by kind`.execute(db)
  const none = { open: 0, oldestSeconds: 0, dueSeconds: 0 }
  const found = new Map(rows.map(({ kind, ...jobs }) => [kind, jobs]))
  return { jobs: Object.fromEntries(jobKind.options.map((kind) => [kind, found.get(kind) ?? none])) as never }
}

const secondsSince = (time: RawBuilder<unknown>) =>
  sql`greatest(0, coalesce(extract(epoch from now() - ${time}), 0))::float8`

async function readRuns(db: Transaction<FilesDb>): Promise<Partial<FileStatistics>> {
  const { rows } = await sql<RunFigures & { kind: RunKind }>`
    select wanted.kind, (select count(*) from operator_run where kind = wanted.kind and due_at is not null) as open,
      coalesce(last.failed, 0) as failed, coalesce(extract(epoch from now() - finished_at), 0)::float8 as ended_seconds
    from unnest(${runKind.options}::text[]) as wanted (kind) left join lateral (
      select finished_at, (state = 'failed')::integer as failed from operator_run
      where kind = wanted.kind and finished_at is not null order by finished_at desc limit 1
    ) as last on true`.execute(db)
  return { runs: Object.fromEntries(rows.map(({ kind, ...figures }) => [kind, figures])) as FileStatistics['runs'] }
}

/** The condition of the index `file_broken`. */
async function readViolations(db: Transaction<FilesDb>): Promise<Partial<FileStatistics>> {
  const { rows } = await sql<Record<ViolationRule, number>>`
    select count(*) filter (where status in ('synced', 'cold') and sha256 is null) as "no_checksum",
      count(*) filter (where status in ('hot', 'synced') and hot_key is null) as "no_hot_copy"
    from file
    where ((status in ('synced', 'cold') and sha256 is null) or (status in ('hot', 'synced') and hot_key is null))
      and purging_at is null`.execute(db)
  const counted = Object.values(rows[0] ?? {})
  return { violations: Object.fromEntries(violationRules.map((rule, index) => [rule, counted[index] ?? 0])) as never }
}

async function readHotBytes(db: Transaction<FilesDb>): Promise<Partial<FileStatistics>> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(hot_bytes), 0)::bigint as bytes from account`.execute(db)
  return { hotBytes: rows[0]?.bytes ?? 0 }
}

async function readEvents(db: Transaction<FilesDb>): Promise<Partial<FileStatistics>> {
  const isUnpublished = sql`is_public and published_at is null and failed_at is null`
  const { rows } = await sql<{ count: number; failed: number; seconds: number; resendLeft: number }>`
    select (select count(*) from (select from event where ${isUnpublished} limit ${COUNTED_MAX}) as waiting),
      (select count(*) from (select from event where failed_at is not null limit ${COUNTED_MAX}) as broken) as failed,
      (select greatest(0, coalesce(extract(epoch from now() - min(at)), 0))::float8 from event where ${isUnpublished}) as seconds,
      (select coalesce(max(greatest(0, extract(epoch from cursor_at - since))), 0)::float8
        from stream_resend) as resend_left`.execute(db)
  const { count = 0, failed = 0, seconds = 0, resendLeft = 0 } = rows[0] ?? {}
  return {
    ...{ eventsUnpublished: count, eventsFailed: failed },
    ...{ eventsUnpublishedOldestSeconds: seconds, eventResendLeftSeconds: resendLeft },
  }
}

/** An exact count of the files that are not cold. The totals come from the vaults (ADR 0002). */
async function countFiles(db: Transaction<FilesDb>): Promise<Partial<FileStatistics>> {
  const { rows } = await sql<{ status: FileStatus | null; count: number }>`
    select status, count(*) from file
    where status <> 'cold' and deleted_at is null and purging_at is null group by status
    union all
    select null, coalesce(sum(file_count), 0)::bigint from vault`.execute(db)
  const countOf = (status: FileStatus | null) => rows.find((row) => row.status === status)?.count ?? 0
  const [uploading, hot, synced, error] = [countOf('uploading'), countOf('hot'), countOf('synced'), countOf('error')]
  const cold = Math.max(0, countOf(null) - uploading - hot - synced - error)
  return { files: { uploading, hot, synced, cold, error } }
}
