import { evictJob, syncJob } from '@tideport/contracts/internal/messages'
import { inTrace } from '@tideport/service-kit/context/request-context'
import { newTrace, type TraceContext } from '@tideport/service-kit/context/trace-context'
import { type Kysely, sql } from 'kysely'
import { isLive } from '../state/live-file.ts'
import type { FilesDb } from '../state/tables.ts'
import { type DispatchLease, takeDispatchLease } from './dispatch-lease.ts'
import type { JobQueue } from './job-queue.ts'

const BATCH = 500
const BATCHES_PER_RUN = 20
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

const kinds = {
  sync: { job: syncJob, due: sql`status = 'hot' and sync_due_at <= now()`, by: sql`sync_due_at` },
  evict: {
    job: evictJob,
    due: sql`status in ('synced', 'cold') and evict_due_at <= now()`,
    by: sql`evict_due_at`,
  },
  rehydrate: {
    job: syncJob,
    due: sql`status = 'cold' and rehydrate_due_at <= now() and evicting_at is null`,
    by: sql`rehydrate_due_at`,
  },
}

export type JobKind = keyof typeof kinds

/**
 * Offers due rows as jobs, oldest first, in batches, each as part of the trace that made it due. One leader at a time, by
 * lease; the others answer 0 at once. What a full queue refuses stays due. Answers how many jobs were new.
 */
export async function offerDue(
  { db, jobs }: { db: Kysely<FilesDb>; jobs: JobQueue },
  kind: JobKind,
  signal: AbortSignal,
): Promise<number> {
  const lease = await takeDispatchLease(db, kind)
  if (lease === null) return 0
  try {
    return await offerBatches({ db, jobs, lease }, kind, signal)
  } finally {
    await lease.release()
  }
}

/** How long the longest waiting file has been due without anybody working on it; 0 when none is. */
export async function oldestDueAgeSeconds(db: Kysely<FilesDb>, kind: JobKind): Promise<number> {
  const { due, by } = kinds[kind]
  const { rows } = await sql<{ age: number }>`
    select coalesce(extract(epoch from now() - min(${by})), 0)::float8 as age from file
    where ${due} and ${isLive} and (claimed_until is null or claimed_until <= now())`.execute(db)
  return rows[0]?.age ?? 0
}

interface Leading {
  db: Kysely<FilesDb>
  jobs: JobQueue
  lease: DispatchLease
}

interface DueRow {
  id: string
  dueAt: string
  requestId: string | null
  traceparent: string | null
}

/**
 * What made a row due wrote an event in the same statement: the last one, since nothing else happens to a file that
 * waits, but the renewal of its lease.
 */
const cause = sql`select request_id, traceparent from event
  where subject_id = due.id and type not like 'lease.%' order by at desc, event.id desc limit 1`

function traceOf({ requestId, traceparent }: DueRow): TraceContext {
  const own = newTrace()
  return { requestId: requestId ?? own.requestId, traceparent: traceparent ?? own.traceparent }
}

async function offerBatches({ db, jobs, lease }: Leading, kind: JobKind, signal: AbortSignal): Promise<number> {
  const { job, due, by } = kinds[kind]
  let after = { dueAt: '-infinity', id: NIL_UUID }
  let offered = 0
  for (let batch = 0; batch < BATCHES_PER_RUN && !signal.aborted; batch += 1) {
    const { rows } = await sql<DueRow>`
      with due as (
        select id, ${by} as due_at from file
        where ${due} and ${isLive} and (claimed_until is null or claimed_until <= now())
          and (${by}, id) > (${after.dueAt}::timestamptz, ${after.id}::uuid)
        order by ${by}, id limit ${BATCH}
      )
      select due.id, due_at::text, request_id, traceparent from due left join lateral (${cause}) cause on true
      order by due.due_at, due.id`.execute(db)
    const answers = await Promise.all(rows.map((row) => inTrace(traceOf(row), () => jobs.offer(job, row.id))))
    offered += answers.filter((answer) => answer === 'queued').length
    const last = rows.at(-1)
    if (!last || rows.length < BATCH || answers.includes('full') || !(await lease.renew())) break
    after = last
  }
  return offered
}
