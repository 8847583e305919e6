import { type JobKind, jobKind } from '@tideport/contracts/public/jobs'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { Kysely } from 'kysely'

/** `refused`: the request cannot be done. `failed`: a part failed repeatedly. `cancelled`: by its account. */
const outcomes = ['done', 'refused', 'failed', 'cancelled'] as const
export type JobOutcome = (typeof outcomes)[number]

interface EndedJob {
  kind: JobKind
  createdAt: Date
  finishedAt: Date | null
}

interface Observer {
  ended(job: EndedJob, outcome: JobOutcome): void
  putOff(kind: JobKind): void
}

/** One observer per database, as for transitions of files. */
const observers = new WeakMap<Kysely<FilesDb>, Observer>()

export function observeJobs(db: Kysely<FilesDb>, metrics: Metrics): void {
  const ended = metrics.counter({
    name: 'tideport_account_jobs_ended_total',
    help: 'Account jobs that this process finished, by outcome',
    labelNames: ['kind', 'outcome'],
  })
  const putOff = metrics.counter({
    name: 'tideport_account_jobs_put_off_total',
    help: 'Batches of account jobs that failed and are retried',
    labelNames: ['kind'],
  })
  const duration = metrics.histogram({
    name: 'tideport_account_job_duration_seconds',
    help: 'Time from the request of a finished job to its completion',
    labelNames: ['kind'],
    buckets: [1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400, 604_800],
  })
  for (const kind of jobKind.options) {
    for (const outcome of outcomes) ended.labels(kind, outcome).inc(0)
    putOff.labels(kind).inc(0)
    duration.zero({ kind })
  }
  observers.set(db, {
    ended({ kind, createdAt, finishedAt }, outcome) {
      ended.labels(kind, outcome).inc()
      if (outcome === 'done' && finishedAt)
        duration.labels(kind).observe((finishedAt.getTime() - createdAt.getTime()) / 1000)
    },
    putOff: (kind) => putOff.labels(kind).inc(),
  })
}

/** Returns an empty object in a process without these metrics. */
export const jobsObservedBy = (db: Kysely<FilesDb>): Partial<Observer> => observers.get(db) ?? {}
