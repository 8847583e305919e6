import type { Circuit } from '@tideport/service-kit/process/circuit'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { inOwnTrace } from '@tideport/service-kit/telemetry/span'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { FileRow, FilesDb } from '../state/tables.ts'
import { claimBatch, type DueRows, releaseClaim } from './claim.ts'
import { isOutage } from './is-outage.ts'

const BATCH = 8
const BATCHES_PER_RUN = 125
const RETRY_SECONDS = 30
const DOUBLINGS_MAX = 7

export interface DrainDeps {
  db: Kysely<FilesDb>
  circuit: Pick<Circuit, 'answers'>
  log: Log
}

export interface Work {
  /** What the work is called in the log, and each visit in traces. */
  name: string
  due: DueRows
  /** Assignments that end the claim and make a row due no sooner than `until`. */
  putOff: (until: RawBuilder<unknown>) => RawBuilder<unknown>
  /** Changes a claimed row so that it is due no longer, or fails. */
  visit: (file: FileRow) => Promise<unknown>
}

/**
 * One run of a clock: takes up rows until none is due, a few at a time, no more than a thousand. Any number of processes
 * share the work. A row that fails is put off, 30 s at first, each time twice as long up to about an hour, and the others
 * go on. An outage is no failure of a row: it ends the run. Whether there may be more.
 */
export async function drain(deps: DrainDeps, signal: AbortSignal, work: Work): Promise<boolean> {
  for (let batch = 0; batch < BATCHES_PER_RUN; batch++) {
    if (signal.aborted) return false
    const files = await claimBatch(deps.db, work.due, BATCH)
    const visits = await Promise.allSettled(files.map((file) => inOwnTrace(work.name, () => work.visit(file))))
    const failures = visits.flatMap((visit, index) =>
      visit.status === 'rejected' ? [settleFailure(deps, files[index] as FileRow, visit.reason, { signal, work })] : [],
    )
    const outages = (await Promise.all(failures)).filter((outage) => outage !== null)
    if (outages.length > 0) throw outages[0]
    if (files.length < BATCH) return false
  }
  return true
}

/** Answers what ends the run; null when only this row failed. */
async function settleFailure(
  { db, circuit, log }: DrainDeps,
  file: FileRow,
  error: unknown,
  { signal, work }: { signal: AbortSignal; work: Work },
): Promise<unknown> {
  if (signal.aborted || (await isOutage(error, circuit))) {
    await releaseClaim(db, file).catch(() => undefined) // it runs out by itself
    return error
  }
  log.warn({ err: error, fileId: file.id, task: work.name, failures: file.clockFailures + 1 }, 'a row was put off')
  const seconds = RETRY_SECONDS * 2 ** Math.min(file.clockFailures, DOUBLINGS_MAX)
  const until = sql`now() + make_interval(secs => ${seconds})`
  await sql`
    update file set ${work.putOff(until)}, clock_failures = clock_failures + 1
    where id = ${file.id} and claims = ${file.claims}`.execute(db)
  return null
}
