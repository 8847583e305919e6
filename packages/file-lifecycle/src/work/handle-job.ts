import type { Batching } from '@tideport/service-kit/batching/batching'
import { isUnavailable } from '@tideport/service-kit/postgres/database-errors'
import type { Circuit } from '@tideport/service-kit/process/circuit'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { durationBuckets } from '@tideport/service-kit/telemetry/message-metrics'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { inSpan } from '@tideport/service-kit/telemetry/span'
import type { Kysely } from 'kysely'
import type { Relay } from '../outbox/start-relay.ts'
import type { FilesDb } from '../state/tables.ts'
import type { Writes } from '../state/writes.ts'
import { type Claim, claimOn } from './claim.ts'
import { type ClaimedFor, claimFor, rowOf } from './claim-step.ts'
import { isOutage } from './failures.ts'
import { type CopyStep, type FileStep, type StepName, steps } from './steps.ts'

const HAND_BACK_SECONDS = 2

/** `signal` aborts on a stop and when the claim is lost. */
export interface StepContext {
  signal: AbortSignal
}

/**
 * A worker's step for one due row: a file, or a copy with its file. Each function returns an outcome from a closed set
 * of words, for logs and metrics. `superseded`: the row has changed.
 */
export interface Step<Name extends StepName, Outcome extends string> {
  name: Name
  /** Works outside Postgres and writes the outcome to the row. */
  work(claimed: ClaimedFor<Name>, context: StepContext): Promise<Outcome | 'superseded'>
  /** Writes a failure of this file to its row: a later retry, or a permanent failure. Not called for outages. */
  fail(claimed: ClaimedFor<Name>, error: unknown, context: StepContext): Promise<Outcome | 'superseded'>
  /** Fails a step that has too many claims without an outcome, if the step has such a limit (`steps.ts`). */
  abandon?(claimed: ClaimedFor<Name>, context: StepContext): Promise<Outcome | 'superseded'>
  /** The work after an outcome. A repeated job runs it if the first worker crashed. */
  follow?(fileId: string): Promise<unknown>
}

export type OfFile<Outcome extends string> = Step<FileStep, Outcome>
export type OfCopy<Outcome extends string> = Step<CopyStep, Outcome>

export interface JobDeps {
  db: Kysely<FilesDb>
  writes: Writes
  /** Every job counts as a caller. */
  batching: Pick<Batching, 'asCaller'>
  /** Opens on outages. Its probe checks everything that the step needs. */
  circuit: Circuit
  relay: Pick<Relay, 'wake'>
  log: Log
  noteAttempt: NoteAttempt
}

/** `network`: for a copy. */
interface Job {
  fileId: string
  network?: string | undefined
}

/**
 * The handler of one kind of job (docs/explain/life-of-a-file.md §1.6-8): claims the due row, works on it under the
 * claim, and writes the outcome to the row. An outage or a stop hands the row back without counting an attempt.
 */
export function handleJob<Name extends StepName, Outcome extends string>(
  deps: JobDeps,
  step: Step<Name, Outcome>,
): (job: Job, context: StepContext) => Promise<void> {
  const observe = observeJobs(deps, step.name)
  return async ({ fileId, network }, context) =>
    await observe({ fileId, network }, async () => {
      const claimed = await claimFor(deps.writes, { fileId, network }, step.name)
      if (claimed) return await takeStep(deps, step, claimed, context)
      await step.follow?.(fileId)
      return 'not_due'
    })
}

function observeJobs({ batching, circuit, relay, log, noteAttempt }: JobDeps, job: StepName) {
  return async (ids: object, run: () => Promise<string>): Promise<void> => {
    const startedAt = performance.now()
    let outcome = 'interrupted'
    try {
      outcome = await batching.asCaller(run)
    } catch (error) {
      if (isUnavailable(error)) circuit.open(error)
      throw error
    } finally {
      const durationMs = Math.round(performance.now() - startedAt)
      noteAttempt(outcome, durationMs / 1000)
      log.info({ job, ...ids, outcome, durationMs }, 'job finished')
      if (outcome !== 'not_due') relay.wake()
    }
  }
}

async function takeStep<Name extends StepName, Outcome extends string>(
  deps: JobDeps,
  step: Step<Name, Outcome>,
  claimed: ClaimedFor<Name>,
  { signal: stopping }: StepContext,
): Promise<string> {
  const { db, circuit } = deps
  const row = rowOf(claimed)
  const claim = claimOn(db, row)
  const limit = steps[step.name].unfinishedClaimsMax
  if (limit !== null && row.unfinishedClaims > limit && step.abandon) {
    return await step.abandon(claimed, { signal: stopping })
  }
  return await claim.run(stopping, async (signal) => {
    try {
      const outcome = await inSpan({ name: step.name, kind: 'internal' }, () => step.work(claimed, { signal }))
      circuit.noteSuccess()
      if (outcome === 'superseded') await claim.handBack(step.name, HAND_BACK_SECONDS)
      return outcome
    } catch (error) {
      if (stopping.aborted) {
        await claim.handBack(step.name, 0)
        throw error
      }
      if (signal.aborted) return 'claim_lost'
      return await afterFailure(deps, step, claim, claimed, error, { signal })
    }
  })
}

async function afterFailure<Name extends StepName, Outcome extends string>(
  { circuit, log }: JobDeps,
  step: Step<Name, Outcome>,
  claim: Claim,
  claimed: ClaimedFor<Name>,
  error: unknown,
  context: StepContext,
): Promise<string> {
  if (await isOutage(error, circuit)) {
    circuit.open(error)
    await claim.handBack(step.name, HAND_BACK_SECONDS)
    return 'outage'
  }
  log.warn({ err: error, fileId: claim.fileId, job: step.name }, 'attempt failed')
  return await step.fail(claimed, error, context)
}

/** Counts a job by its outcome and duration. */
export type NoteAttempt = (outcome: string, seconds: number) => void

/**
 * Registers the metrics of a step once per process, for all networks. Outcomes that alerts watch start at 0, because an
 * alert does not see growth in a counter that first appears with a value.
 */
export function attemptMetrics(metrics: Metrics, step: StepName, watched: readonly string[] = []): NoteAttempt {
  const attempts = metrics.counter({
    name: `tideport_${step}_attempts_total`,
    help: `Jobs to ${step} a file, by outcome`,
    labelNames: ['outcome'],
  })
  for (const outcome of watched) attempts.labels(outcome).inc(0)
  const duration = metrics.histogram({
    name: `tideport_${step}_duration_seconds`,
    help: `Duration of an attempt to ${step} a file`,
    buckets: durationBuckets,
  })
  return (outcome, seconds) => {
    attempts.labels(outcome).inc()
    if (outcome !== 'not_due') duration.observe(seconds)
  }
}
