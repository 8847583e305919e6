import { isUnavailable } from '@tideport/service-kit/postgres/database-errors'
import type { Circuit } from '@tideport/service-kit/process/circuit'
import { durationBuckets } from '@tideport/service-kit/telemetry/duration-buckets'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { inSpan } from '@tideport/service-kit/telemetry/span'
import type { Kysely } from 'kysely'
import type { Relay } from '../outbox/start-relay.ts'
import { POISON_LIMIT } from '../state/state.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { markFailed } from '../state/transitions.ts'
import { handBack } from './attempts.ts'
import { claimDue, underClaim } from './claim.ts'
import { isOutage } from './is-outage.ts'
import { writeClaimed } from './write-claimed.ts'

const HAND_BACK_SECONDS = 2

/** `signal` aborts on a stop and when the claim is lost. */
export interface StepContext {
  signal: AbortSignal
}

/** What a worker does for one due row. Both answer an outcome: a word of a closed set, for logs and metrics. */
export interface Step<Outcome extends string> {
  name: 'sync' | 'rehydrate' | 'evict'
  /** Acts outside Postgres and writes what came of it to the row. `superseded`: the row is not what it was. */
  work(file: FileRow, context: StepContext): Promise<Outcome | 'superseded'>
  /** Writes a failure of this very file to its row: due again later, or given up. Never sees outages. */
  fail(file: FileRow, error: unknown, context: StepContext): Promise<Outcome | 'superseded'>
  /** Ends a step that was claimed too often without any outcome. Missing, or null: the file is in error. */
  poisoned?(file: FileRow, context: StepContext): Promise<Outcome | 'superseded'> | null
}

export interface JobDeps {
  db: Kysely<FilesDb>
  /** Opened by outages; its probe asks everything that the step needs. */
  circuit: Circuit
  relay: Pick<Relay, 'wake'>
  log: Log
  metrics: Metrics
}

/**
 * The handler of one kind of job (docs/file-lifecycle.md §1.6-8): claim the row for the step that is due, work on it under the
 * claim, write the outcome to the row. An outage or a stop hands the row back untried; a step that was claimed too
 * often without any outcome is poison, unless the file is evicting, from where the way is to cold.
 */
export function handleJob<Outcome extends string>(deps: JobDeps, ...steps: Step<Outcome>[]) {
  const { db, circuit, relay, log } = deps
  const attempts = new Map(steps.map(({ name }) => [name, attemptMetrics(deps.metrics, name)]))
  return async ({ fileId }: { fileId: string }, { signal }: StepContext): Promise<void> => {
    const startedAt = performance.now()
    let job = steps[0]?.name
    let outcome = 'interrupted'
    try {
      const due = await claimFirst(db, fileId, steps)
      job = due?.step.name ?? job
      outcome = due ? await takeStep(deps, due.step, due.file, { signal }) : 'not_due'
    } catch (error) {
      if (isUnavailable(error)) circuit.open(error)
      throw error
    } finally {
      const durationMs = Math.round(performance.now() - startedAt)
      if (job) attempts.get(job)?.(outcome, durationMs / 1000)
      log.info({ job, fileId, outcome, durationMs }, 'job ended')
      if (outcome !== 'not_due') relay.wake()
    }
  }
}

function attemptMetrics(metrics: Metrics, name: string) {
  const attempts = metrics.counter({
    name: `tideport_${name}_attempts_total`,
    help: `Jobs to ${name} a file by what came of them`,
    labelNames: ['outcome'],
  })
  const duration = metrics.histogram({
    name: `tideport_${name}_duration_seconds`,
    help: `Time of an attempt to ${name} a file`,
    buckets: durationBuckets,
  })
  return (outcome: string, seconds: number) => {
    attempts.labels(outcome).inc()
    if (outcome !== 'not_due') duration.observe(seconds)
  }
}

/** The same job stands for any of the steps; no row is due for two. */
async function claimFirst<Outcome extends string>(db: Kysely<FilesDb>, fileId: string, steps: Step<Outcome>[]) {
  for (const step of steps) {
    const file = await claimDue(db, fileId, step.name)
    if (file) return { step, file }
  }
  return null
}

async function takeStep<Outcome extends string>(
  deps: JobDeps,
  step: Step<Outcome>,
  file: FileRow,
  { signal: stopping }: StepContext,
): Promise<string> {
  const { db, circuit } = deps
  if (file.poison > POISON_LIMIT && file.evictingAt === null) {
    const ended = await step.poisoned?.(file, { signal: stopping })
    if (ended) return ended
    const failed = await writeClaimed(db, file, (current) => markFailed(db, current, 'poison'))
    return failed ? 'poison' : 'superseded'
  }
  return await underClaim(db, file, stopping, async (signal) => {
    try {
      const outcome = await inSpan({ name: step.name, kind: 'internal' }, () => step.work(file, { signal }))
      circuit.noteSuccess()
      if (outcome === 'superseded') await handBack(db, file, step.name, HAND_BACK_SECONDS)
      return outcome
    } catch (error) {
      if (stopping.aborted) {
        await handBack(db, file, step.name, 0)
        throw error
      }
      if (signal.aborted) return 'claim_lost'
      return await settleFailure(deps, step, file, error, { signal })
    }
  })
}

async function settleFailure<Outcome extends string>(
  { db, circuit, log }: JobDeps,
  step: Step<Outcome>,
  file: FileRow,
  error: unknown,
  context: StepContext,
): Promise<string> {
  if (await isOutage(error, circuit)) {
    circuit.open(error)
    await handBack(db, file, step.name, HAND_BACK_SECONDS)
    return 'outage'
  }
  log.warn({ err: error, fileId: file.id, job: step.name }, 'attempt failed')
  return await step.fail(file, error, context)
}
