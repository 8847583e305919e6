import { inTrace } from '@tideport/service-kit/context/request-context'
import { newTrace, type TraceContext } from '@tideport/service-kit/context/trace-context'
import type { NatsLink } from '@tideport/service-kit/nats/nats'
import { type Poll, poll } from '@tideport/service-kit/process/poll'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { type Kysely, sql } from 'kysely'
import type { FilesDb } from '../state/tables.ts'
import { type Turn, takeTurn } from '../state/turn.ts'
import { isFree } from './claim.ts'
import type { JobQueue } from './job-queue.ts'
import { type Queue, steps } from './steps.ts'

const BATCH = 500
const BATCHES_PER_RUN = 20
/** Longer than a batch of jobs takes, whose publications the broker has 5 s to answer. */
const TURN_SECONDS = 10
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** The rows of a queue that are due and not claimed. `id` is the file's, as the index of what is due has it. */
function dueRows({ step, network }: Queue) {
  const { row, isDue, dueAt } = steps[step]
  const where = sql`${isDue} and ${dueAt} <= now() and ${isFree(row)}`
  if (row === 'file') return { from: sql`file`, where, dueAt, id: sql`file.id` }
  const from = sql`copy join file on file.id = copy.file_id`
  return { from, where: sql`copy.network = ${network} and ${where}`, dueAt, id: sql`copy.file_id` }
}

/**
 * Offers due rows as jobs, oldest first, in batches, each as part of the trace that made it due. One process at a time;
 * the others return 0 at once. Two at once would do no harm, for the broker takes a job once. What a full queue refuses
 * stays due. Returns how many jobs were new.
 */
export async function enqueueDue(
  { db, jobs }: { db: Kysely<FilesDb>; jobs: JobQueue },
  queue: Queue,
  signal: AbortSignal,
): Promise<number> {
  // To take the turn writes; where nothing is due nobody need have it.
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

/**
 * How long the longest waiting row has been due without anybody working on it; 0 when none is. Reads the first of them, not
 * all: there may be millions.
 */
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

/** What made a row due wrote an event in the same statement, or shortly before. */
const cause = sql`select request_id, traceparent from event
  where subject_id = due.id order by at desc, event.id desc limit 1`

function traceOf({ requestId, traceparent }: DueRow): TraceContext {
  const own = newTrace()
  return { requestId: requestId ?? own.requestId, traceparent: traceparent ?? own.traceparent }
}

/**
 * Goes along the index, from where the batch before ended. Not by comparing rows as such: Postgres would expect so few of
 * them that it reads and sorts all that is due, for each batch.
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
  /** How long it pauses at most. */
  intervalSeconds: number
}

/** While there is work; at rest the pauses grow to the interval of the settings. */
export const BUSY_PAUSE_MS = 1000

/**
 * The periodic task that enqueues jobs of due rows again, so that no lost message and no lost stream loses work: once a
 * second while there are any, else after growing pauses, and at once when the broker comes back.
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
