import type { Circuit } from '@tideport/service-kit/process/circuit'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { inOwnTrace } from '@tideport/service-kit/telemetry/span'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { FilesDb } from '../state/tables.ts'
import { type Claimable, type ClaimedRow, claimDue, claimOn, type DueRows } from './claim.ts'
import { isOutage } from './failures.ts'

const BATCH = 8
const BATCHES_PER_RUN = 125
const RETRY_SECONDS = 30
const DOUBLINGS_MAX = 7

export interface DueRowsDeps {
  db: Kysely<FilesDb>
  circuit: Pick<Circuit, 'answers'>
  log: Log
}

export interface Work<Row> {
  rows: Claimable<Row>
  /** In the log and in traces. */
  name: string
  due: DueRows
  /** Assignments that end the claim and make a row due at `until`. */
  putOff: (until: RawBuilder<unknown>) => RawBuilder<unknown>
  /** Makes a claimed row no longer due, or throws. */
  visit: (row: Row) => Promise<unknown>
}

/**
 * One run of a periodic task: visits due rows, at most a thousand, shared with other processes. A failed row is due
 * again after 30 s, doubled up to an hour. An outage stops the run. Returns whether more rows may be due.
 */
export async function processDueRows<Row extends ClaimedRow>(
  deps: DueRowsDeps,
  signal: AbortSignal,
  work: Work<Row>,
): Promise<boolean> {
  for (let batch = 0; batch < BATCHES_PER_RUN; batch++) {
    if (signal.aborted) return false
    const claimed = await claimDue(deps.db, work.rows, work.due, BATCH)
    const visits = await Promise.allSettled(claimed.map((row) => inOwnTrace(work.name, () => work.visit(row))))
    const failures = visits.flatMap((visit, index) =>
      visit.status === 'rejected' ? [putOff(deps, claimed[index] as Row, visit.reason, { signal, work })] : [],
    )
    const outages = (await Promise.all(failures)).filter((outage) => outage !== null)
    if (outages.length > 0) throw outages[0]
    if (claimed.length < BATCH) return false
  }
  return true
}

/** Returns the error that stops the run; null if only this row failed. */
async function putOff<Row extends ClaimedRow>(
  { db, circuit, log }: DueRowsDeps,
  row: Row,
  error: unknown,
  { signal, work }: { signal: AbortSignal; work: Work<Row> },
): Promise<unknown> {
  const claim = claimOn(db, row)
  if (signal.aborted || (await isOutage(error, circuit))) {
    await claim.release().catch(() => undefined) // the claim expires
    return error
  }
  const failures = Number(row[work.rows.failures])
  log.warn(
    { err: error, fileId: claim.fileId, task: work.name, failures: failures + 1 },
    'periodic task failed for a row; it is retried later',
  )
  const seconds = RETRY_SECONDS * 2 ** Math.min(failures, DOUBLINGS_MAX)
  const count = sql`, ${sql.ref(work.rows.failures)} = ${sql.ref(work.rows.failures)} + 1`
  await claim.write(sql`${work.putOff(sql`now() + make_interval(secs => ${seconds})`)}${count}`)
  return null
}
