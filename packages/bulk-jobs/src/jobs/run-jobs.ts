import { causedBy } from '@tideport/service-kit/context/request-context'
import { AppError } from '@tideport/service-kit/process/app-error'
import { sql } from 'kysely'
import { type AccountJobRow, over, writeJob } from './account-job.ts'
import { claimJobs, type Queue, writesIntoBuckets } from './claim-jobs.ts'
import { type JobDeps, JobEnd, JobLost, JobTrouble, type KindsOfJobs } from './job-kind.ts'
import { jobsObservedBy } from './job-metrics.ts'
import { isCrossed } from './write-conflicts.ts'

/** Concurrent jobs of a process. */
const JOBS = 4
/** In files. */
const BATCH = 500
/** How long one turn of a job lasts. */
const TURN_MS = 5000
/** A slower batch makes its bucket slow. */
const SLOW_MS = 20_000
const RETRY_SECONDS = 5
const DOUBLINGS_MAX = 7
const ATTEMPTS_MAX = 12
const OUTAGE_SECONDS = 30
const RESTORING_SECONDS_MAX = 3600
const REPEATED = { code: 'internal', message: 'A part of the job failed repeatedly' }

interface Deps extends JobDeps {
  kinds: KindsOfJobs
}

/** Runs due jobs of one queue, each for one turn. Returns whether more jobs may be due. */
export async function runJobs(deps: Deps, queue: Queue, signal: AbortSignal): Promise<boolean> {
  // A slow bucket of an account must not delay other accounts.
  const jobs = await claimJobs(deps, queue, writesIntoBuckets(queue) ? 1 : JOBS)
  const ends = await Promise.all(jobs.map((job) => causedBy(causeOf(job), () => takeTurn(deps, job, queue, signal))))
  if (jobs.length > 0) deps.relay.wake()
  return jobs.length > 0 && !signal.aborted && ends.some((end) => end !== 'put_off')
}

function causeOf({ requestId, traceparent, actor, clientAddress }: AccountJobRow) {
  return { requestId, traceparent, origin: actor && { actor, clientAddress } }
}

async function takeTurn(
  deps: Deps,
  job: AccountJobRow,
  queue: Queue,
  signal: AbortSignal,
): Promise<'over' | 'left' | 'put_off'> {
  const { db, log, kinds } = deps
  const until = performance.now() + TURN_MS
  let current = job
  // After a failed batch, this many files are processed one by one.
  let alone = job.attempt > 0 ? BATCH : 0
  let began = performance.now()
  const isSlow = () => writesIntoBuckets(queue) && performance.now() - began > SLOW_MS
  try {
    await kinds[job.kind].begin?.(deps, job)
  } catch (error) {
    return await putOff(deps, job, error, isSlow())
  }
  while (performance.now() < until && !signal.aborted) {
    began = performance.now()
    try {
      current = await kinds[job.kind].advance(deps, current, {
        ...{ limit: alone > 0 ? 1 : BATCH, isSlow: queue === 'slow_buckets', signal },
      })
      alone = Math.max(0, alone - 1)
    } catch (error) {
      if (error instanceof JobLost) return 'over'
      if (error instanceof JobEnd && !(error instanceof JobTrouble)) return await giveUp(deps, current, error, isSlow())
      // The process is stopping, so the error does not count as a failure of the job.
      if (signal.aborted) break
      if (!isCrossed(error) || alone > 0) return await putOff(deps, current, error, isSlow())
      alone = BATCH
    }
    if (current.finishedAt !== null) {
      jobsObservedBy(db).ended?.(current, 'done')
      log.info({ jobId: job.id, kind: job.kind, done: current.done, failed: current.failed }, 'job completed')
      return 'over'
    }
  }
  await writeJob(db, current, sql`claimed_until = null, due_at = now(), is_slow = ${isSlow()}`)
  return 'left'
}

async function giveUp({ db, log }: JobDeps, job: AccountJobRow, { code, message }: JobEnd, isSlow: boolean) {
  const ended = await writeJob(db, job, sql`${over('failed', { code, sentence: message })}, is_slow = ${isSlow}`)
  if (ended) jobsObservedBy(db).ended?.(ended, 'refused')
  log.info({ jobId: job.id, kind: job.kind, code }, 'job failed permanently')
  return 'over' as const
}

/** Retries after a growing pause, a limited number of times; waits for outages and restores from archives. */
async function putOff({ db, log }: JobDeps, job: AccountJobRow, error: unknown, isSlow: boolean) {
  const waits = waitsOf(error)
  const attempt = job.attempt + (waits === null ? 1 : 0)
  log.warn({ err: error, jobId: job.id, kind: job.kind, attempt }, 'batch of a job failed; it is retried later')
  const seconds = waits ?? RETRY_SECONDS * 2 ** Math.min(job.attempt, DOUBLINGS_MAX)
  const isOver = attempt >= ATTEMPTS_MAX
  const later = sql`claimed_until = null, due_at = now() + make_interval(secs => ${seconds}), updated_at = now()`
  // Only the account can fix the target of its job.
  const [{ code, message }, outcome] =
    error instanceof JobTrouble ? ([error, 'refused'] as const) : ([REPEATED, 'failed'] as const)
  const end = over('failed', { code, sentence: message })
  // If the database is unavailable, the claim expires.
  const written = await writeJob(
    db,
    job,
    sql`attempt = ${attempt}, is_slow = ${isSlow || error instanceof JobTrouble}, ${isOver ? end : later}`,
  ).catch(() => null)
  jobsObservedBy(db).putOff?.(job.kind)
  if (written && isOver) jobsObservedBy(db).ended?.(written, outcome)
  return 'put_off' as const
}

/** How many seconds to wait for an unavailable dependency. Null: waiting would not help. */
function waitsOf(error: unknown): number | null {
  if (!(error instanceof AppError) || (error.code !== 'unavailable' && error.code !== 'restoring')) return null
  return Math.min(Math.max(error.retryAfterSeconds ?? 0, OUTAGE_SECONDS), RESTORING_SECONDS_MAX)
}
