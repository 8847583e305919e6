import { inTrace } from '@tideport/service-kit/context/request-context'
import { newTrace, type TraceContext } from '@tideport/service-kit/context/trace-context'
import type { NatsLink } from '@tideport/service-kit/nats/nats'
import { type Poll, poll } from '@tideport/service-kit/process/poll'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { type Kysely, sql } from 'kysely'
import { type Turn, takeTurn } from '../state/serialize.ts'
import type { FilesDb } from '../state/tables.ts'
import { isFree } from './claim.ts'
import type { JobQueue } from './job-queue.ts'
import { type Queue, steps } from './steps.ts'

const BATCH = 500
const BATCHES_PER_RUN = 20
/** Longer than a batch takes, for which the broker has 5 s. */
const TURN_SECONDS = 10
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** The free, due rows of a queue. `id`: that of the file, as the index has it. */
function dueRows({ step, network }: Queue) {
  const { row, isDue, dueAt } = steps[step]
  const where = sql`${isDue} and ${dueAt} <= now() and ${isFree(row)}`
  if (row === 'file') return { from: sql`file`, where, dueAt, id: sql`file.id` }
  const from = sql`copy join file on file.id = copy.file_id`
  return { from, where: sql`copy.network = ${network} and ${where}`, dueAt, id: sql`copy.file_id` }
}

/**
 * Enqueues due rows, oldest first, each with the trace of its cause. One process at a time; others return 0. A full
 * queue leaves rows due. Returns how many jobs were new.
 */
export async function enqueueDue(
  { db, jobs }: { db: Kysely<FilesDb>; jobs: JobQueue },
  queue: Queue,
  signal: AbortSignal,
): Promise<number> {
  // Checked first, because acquiring the lock writes.
  if (!(await isAnyDue(db, queue))) return 0
  const turn = await takeTurn(db, `enqueue ${queueName(queue)}`, TURN_SECONDS)
  if (turn === null) return 0
  try {
    return await enqueueBatches({ db, jobs, turn }, queue, signal)
  } finally {
    await turn.end()
  }
}

export function queueName({ step, network }: Queue): string {
  return network === undefined ? step : `${step}-${network}`
}

async function isAnyDue(db: Kysely<FilesDb>, queue: Queue): Promise<boolean> {
  const { from, where } = dueRows(queue)
  const { rows } = await sql`select from ${from} where ${where} limit 1`.execute(db)
  return rows.length > 0
}

/** How long the oldest free row has been due; 0: none is. Reads one row. */
export async function oldestDueAgeSeconds(db: Kysely<FilesDb>, queue: Queue): Promise<number> {
  const { from, where, dueAt } = dueRows(queue)
  const { rows } = await sql<{ age: number }>`
    select extract(epoch from now() - ${dueAt})::float8 as age from ${from} where ${where}
    order by ${dueAt} limit 1`.execute(db)
  return rows[0]?.age ?? 0
}

interface Enqueuing {
  db: Kysely<FilesDb>
  jobs: JobQueue
  turn: Turn
}

interface DueRow {
  id: string
  dueAt: string
  requestId: string | null
  traceparent: string | null
}

/** The cause of a due row wrote an event at about the same time. */
const cause = sql`select request_id, traceparent from event
  where subject_id = due.id order by at desc, event.id desc limit 1`

function traceOf({ requestId, traceparent }: DueRow): TraceContext {
  const own = newTrace()
  return { requestId: requestId ?? own.requestId, traceparent: traceparent ?? own.traceparent }
}

/**
 * Walks along the index. Not by a row comparison, for which Postgres would read and sort all due rows for each batch.
 */
async function enqueueBatches({ db, jobs, turn }: Enqueuing, queue: Queue, signal: AbortSignal): Promise<number> {
  const { from, where, dueAt, id } = dueRows(queue)
  let after = { dueAt: '-infinity', id: NIL_UUID }
  let enqueued = 0
  for (let batch = 0; batch < BATCHES_PER_RUN && !signal.aborted; batch += 1) {
    const { rows } = await sql<DueRow>`
      with due as (
        select ${id} as id, ${dueAt} as due_at from ${from}
        where ${where} and ${dueAt} >= ${after.dueAt}::timestamptz
          and (${dueAt} > ${after.dueAt}::timestamptz or ${id} > ${after.id}::uuid)
        order by ${dueAt}, ${id} limit ${BATCH}
      )
      select due.id, due_at::text, request_id, traceparent from due left join lateral (${cause}) cause on true
      order by due.due_at, due.id`.execute(db)
    const answers = await Promise.all(rows.map((row) => inTrace(traceOf(row), () => jobs.enqueue(queue, row.id))))
    enqueued += answers.filter((answer) => answer === 'queued').length
    const last = rows.at(-1)
    if (!last || rows.length < BATCH || answers.includes('full') || !(await turn.renew())) break
    after = last
  }
  return enqueued
}

export interface DispatchDeps {
  db: Kysely<FilesDb>
  nats: NatsLink
  jobs: JobQueue
  log: Log
  signal: AbortSignal
  /** The longest pause. */
  intervalSeconds: number
}

/** The pause while there is work. */
export const BUSY_PAUSE_MS = 1000

/**
 * Periodic task: enqueues due rows again after lost messages or streams. Once a second while there are any, then less
 * often, and on each connect.
 */
export function startDispatch(deps: DispatchDeps, queue: Queue): Poll {
  const name = queueName(queue)
  const { db, nats, jobs, log, signal, intervalSeconds } = deps
  const enqueue = async (stopping: AbortSignal) => {
    if (!nats.connection()) return false
    const enqueued = await enqueueDue({ db, jobs }, queue, stopping)
    if (enqueued > 0) log.info({ job: name, enqueued }, 'due rows enqueued again')
    return enqueued > 0
  }
  const pauses = { minMs: BUSY_PAUSE_MS, maxMs: intervalSeconds * 1000 }
  const task = poll(pauses, `enqueue due ${name} jobs`, enqueue, { signal, log })
  nats.onConnect(() => task.wake())
  return task
}
