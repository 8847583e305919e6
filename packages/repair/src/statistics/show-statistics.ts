import { setTimeout as delay } from 'node:timers/promises'
import type { NetworkNames } from '@tideport/file-lifecycle/state/file-copies'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { cachedFor } from '@tideport/service-kit/process/cached-for'
import type { Health } from '@tideport/service-kit/process/health'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { Kysely } from 'kysely'
import {
  type FileStatistics,
  type OpenJobs,
  type RunFigures,
  readStatistics,
  takeStatistics,
} from './file-statistics.ts'

const CACHED_MS = 2000
/** A scrape waits this long for new statistics, then uses the last ones. */
const WAIT_MS = 1000

type Figures = Partial<FileStatistics>

export interface Found {
  figures: Figures
  takenAt: Date | null
}

export interface ShownStatistics {
  /** Throws when Postgres is unavailable. */
  find: () => Promise<Found>
}

/**
 * Exposes statistics of all files as metrics, and copies on unknown networks in `/ready`. All processes report the same
 * values, so aggregate with `max`.
 */
export function showStatistics(
  db: Kysely<FilesDb>,
  networks: NetworkNames,
  { metrics, log, health }: { metrics: Metrics; log: Log; health: Pick<Health, 'tell'> },
): ShownStatistics {
  const look = cachedFor(CACHED_MS, () => findStatistics(db, networks, log))
  const find = () =>
    look().then(
      ({ figures }) => figures,
      (): Figures => ({}),
    )

  function showOne(name: string, help: string, read: (figures: Figures) => number | undefined): void {
    metrics.show(name, help, async () => read(await find()))
  }

  function showEach(name: string, label: string, help: string, valuesOf: (figures: Figures) => object): void {
    metrics.showEach(name, label, help, async () => ({ ...valuesOf(await find()) }))
  }

  showEach('tideport_files', 'status', 'Files outside the trash', ({ files = {} }) => files)
  showEach(
    'tideport_oldest_file_age_seconds',
    'status',
    'How long the oldest file has been in its status; 0 if none',
    ({ oldestSeconds = {} }) => oldestSeconds,
  )
  showEach(
    'tideport_files_invariant_violations',
    'rule',
    'Files whose rows violate an invariant',
    ({ violations = {} }) => violations,
  )
  showEach(
    'tideport_due_age_seconds',
    'queue',
    'How long the oldest due row has been unclaimed',
    ({ dueSeconds = {} }) => dueSeconds,
  )
  showEach(
    'tideport_copies_left',
    'network',
    'Copies on networks that are leaving or not configured, up to 1,000,000',
    ({ copiesLeft = {} }) => copiesLeft,
  )
  showEach(
    'tideport_copies_lost',
    'network',
    'Lost copies that have not been stored again, up to 1,000,000',
    ({ copiesLost = {} }) => copiesLost,
  )
  const ofJobs = (one: keyof OpenJobs) => (figures: Figures) =>
    Object.fromEntries(Object.entries(figures.jobs ?? {}).map(([kind, jobs]) => [kind, jobs[one]]))
  showEach('tideport_account_jobs', 'kind', 'Unfinished account jobs, up to 100,000', ofJobs('open'))
  showEach(
    'tideport_account_jobs_oldest_age_seconds',
    'kind',
    'Age of the oldest unfinished account job; 0 if none',
    ofJobs('oldestSeconds'),
  )
  showEach(
    'tideport_account_jobs_due_age_seconds',
    'kind',
    'How long the oldest due account job has waited for a process',
    ofJobs('dueSeconds'),
  )
  showOne(
    'tideport_unfinished_claims_max',
    'Most consecutive unfinished claims of one step; above 20, the step fails permanently',
    ({ unfinishedClaimsMax }) => unfinishedClaimsMax,
  )
  showOne('tideport_hot_bytes', 'Bytes of files in the hot tier', ({ hotBytes }) => hotBytes)
  showOne(
    'tideport_events_unpublished',
    'Unpublished events, up to 100,000',
    ({ eventsUnpublished }) => eventsUnpublished,
  )
  showOne(
    'tideport_events_unpublished_oldest_age_seconds',
    'Age of the oldest unpublished event; 0 if none',
    ({ eventsUnpublishedOldestSeconds }) => eventsUnpublishedOldestSeconds,
  )
  showOne(
    'tideport_event_resend_left_seconds',
    'Time span of the events that remain to be resent; 0 if none',
    ({ eventResendLeftSeconds }) => eventResendLeftSeconds,
  )
  showOne(
    'tideport_file_statistics_seconds',
    'Time to collect the statistics of all files',
    ({ tookSeconds }) => tookSeconds,
  )
  showOne(
    'tideport_copies_failed',
    'Permanently failed copies of otherwise healthy files, up to 10,000',
    ({ copiesFailed }) => copiesFailed,
  )
  showRuns(showEach)
  health.tell('copiesNotConfigured', async () => {
    const { copiesLeft = {} } = await find()
    return Object.fromEntries(Object.entries(copiesLeft).filter(([network]) => !networks.order.includes(network)))
  })
  return { find: look }
}

type ShowEach = (name: string, label: string, help: string, valuesOf: (figures: Figures) => object) => void

function showRuns(showEach: ShowEach): void {
  const ofRuns =
    (figure: keyof RunFigures) =>
    ({ runs }: Figures) =>
      Object.fromEntries(Object.entries(runs ?? {}).map(([kind, figures]) => [kind, figures[figure]]))
  showEach('tideport_operator_runs_open', 'kind', 'Unfinished operator runs', ofRuns('open'))
  showEach('tideport_operator_run_failed', 'kind', '1 if the last operator run failed', ofRuns('failed'))
  showEach(
    'tideport_operator_run_ended_age_seconds',
    'kind',
    'Time since the last operator run finished; 0 if unknown',
    ofRuns('endedSeconds'),
  )
}

async function findStatistics(db: Kysely<FilesDb>, networks: NetworkNames, log: Log): Promise<Found> {
  const found = await readStatistics(db)
  if (!found.isDue) return found
  const isTaken = await Promise.race([
    takeStatistics(db, networks, log).then(() => true),
    delay(WAIT_MS, false, { ref: false }),
  ])
  return isTaken ? await readStatistics(db) : found
}
