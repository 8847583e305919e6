import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'
import { type AccountJobRow, claimedAgain } from './account-job.ts'
import type { KindsOfJobs } from './job-kind.ts'

/**
 * Jobs wait only for jobs of the same queue. Jobs that write into accounts' buckets have their own queue, and slow
 * buckets another one.
 */
export const queues = ['quick', 'slow', 'buckets', 'slow_buckets'] as const
export type Queue = (typeof queues)[number]

export const writesIntoBuckets = (queue: Queue) => queue === 'buckets' || queue === 'slow_buckets'

interface Deps {
  db: Kysely<FilesDb>
  kinds: KindsOfJobs
}

/** Condition on `job`. */
function isDueOn(queue: Queue, kinds: KindsOfJobs) {
  const names = Object.entries(kinds).flatMap(([name, { isQuick }]) => (isQuick === (queue === 'quick') ? [name] : []))
  return sql`due_at <= now() and kind = any(${names})
    and (sealed_secret is not null) = ${writesIntoBuckets(queue)} and is_slow = ${queue === 'slow_buckets'}
    and (claimed_until is null or claimed_until <= now())
    and not exists (select from account_job as earlier where earlier.account_id = job.account_id
      and earlier.lane = job.lane and earlier.place < job.place and earlier.due_at is not null)`
}

/** The queues with due jobs, so that idle queues are not claimed from. */
export async function dueQueues({ db, kinds }: Deps): Promise<Queue[]> {
  const looks = queues.map(
    (queue) => sql`select ${queue} as queue
    where exists (select from account_job as job where ${isDueOn(queue, kinds)})`,
  )
  const { rows } = await sql<{ queue: Queue }>`${sql.join(looks, sql` union all `)}`.execute(db)
  return rows.map(({ queue }) => queue)
}

/**
 * Claims up to `limit` due jobs of a queue: the first job of each vault, longest waiting first. A job for a bucket
 * counts as slow until a batch proves otherwise, so a crash or cancellation does not reset it to fast.
 */
export async function claimJobs({ db, kinds }: Deps, queue: Queue, limit: number): Promise<AccountJobRow[]> {
  const { rows } = await sql<AccountJobRow>`
    with batch as materialized (
      select id as batch_id from account_job as job
      where ${isDueOn(queue, kinds)}
      order by due_at limit ${limit} for update skip locked
    )
    update account_job set ${claimedAgain}, fencing_token = fencing_token + 1, state = 'running', is_slow = ${writesIntoBuckets(queue)},
      started_at = coalesce(started_at, now())
    from batch where id = batch_id
    returning account_job.*`.execute(db)
  return rows
}
