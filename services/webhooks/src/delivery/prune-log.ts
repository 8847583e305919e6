import { every, type PeriodicTask } from '@tideport/service-kit/process/every'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { type Kysely, sql } from 'kysely'
import type { WebhooksDb } from '../tables.ts'

const PRUNE_EVERY_MS = 60_000
const BATCH = 1000

/** Removes what is kept no longer, once a minute as long as the process runs. */
export function startPruning(
  db: Kysely<WebhooksDb>,
  {
    retentionSeconds,
    auditRetentionSeconds,
    signal,
    log,
  }: { retentionSeconds: number; auditRetentionSeconds: number; signal: AbortSignal; log: Log },
): PeriodicTask {
  return every(
    PRUNE_EVERY_MS,
    'prune the delivery log',
    async (stopping) => {
      await prune(db, retentionSeconds, stopping)
      await forgetOperations(db, auditRetentionSeconds)
    },
    { signal, log },
  )
}

/**
 * Deliveries that old with their attempts, in batches so that no statement holds many rows, and secrets past their
 * overlap.
 */
export async function prune(db: Kysely<WebhooksDb>, retentionSeconds: number, signal?: AbortSignal): Promise<void> {
  await db.deleteFrom('previousSecret').where('validUntil', '<=', sql<Date>`now()`).execute()
  for (let removed = BATCH; removed === BATCH && signal?.aborted !== true; ) {
    removed = await deleteOldest(db, retentionSeconds)
  }
}

/** A batch of what operators did that long ago; there is never much of it. */
export async function forgetOperations(db: Kysely<WebhooksDb>, auditRetentionSeconds: number): Promise<void> {
  await sql`
    delete from operator_event where id in (
      select id from operator_event where at <= now() - make_interval(secs => ${auditRetentionSeconds})
      order by at limit ${BATCH} for update skip locked
    )`.execute(db)
}

/** What is still to be sent stays, however old; several replicas may be at it at once. */
async function deleteOldest(db: Kysely<WebhooksDb>, retentionSeconds: number): Promise<number> {
  const result = await sql`
    delete from delivery where id in (
      select id from delivery
      where created_at < now() - make_interval(secs => ${retentionSeconds})
        and next_attempt_at is null and (claimed_until is null or claimed_until <= now())
      order by created_at limit ${BATCH} for update skip locked
    )`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}
