import { FORGET_BATCH, forgetRows } from '@tideport/service-kit/postgres/forget-rows'
import { type EveryOptions, every, type PeriodicTask } from '@tideport/service-kit/process/every'
import { type Kysely, sql } from 'kysely'
import type { WebhooksDb } from '../tables.ts'

const PRUNE_EVERY_MS = 60_000

interface PruneOptions extends EveryOptions {
  retentionSeconds: number
  auditRetentionSeconds: number
}

export function startPruning(
  db: Kysely<WebhooksDb>,
  { retentionSeconds, auditRetentionSeconds, ...options }: PruneOptions,
): PeriodicTask {
  const pruneAll = async (stopping: AbortSignal) => {
    await prune(db, retentionSeconds, stopping)
    await forgetOperations(db, auditRetentionSeconds)
  }
  return every(PRUNE_EVERY_MS, 'prune the delivery log', pruneAll, options)
}

/** Deletes old deliveries with their attempts, in batches, and secrets past their overlap. */
export async function prune(db: Kysely<WebhooksDb>, retentionSeconds: number, signal?: AbortSignal): Promise<void> {
  await forgetRows(db, 'previous_secret', sql`valid_until <= now()`)
  for (let removed = FORGET_BATCH; removed === FORGET_BATCH && signal?.aborted !== true; ) {
    removed = await forgetRows(db, 'delivery', isPast(retentionSeconds))
  }
}

/** Deliveries that are still to be sent are kept, however old they are. */
const isPast = (retentionSeconds: number) => sql`created_at < now() - make_interval(secs => ${retentionSeconds})
  and next_attempt_at is null and (claimed_until is null or claimed_until <= now())`

export async function forgetOperations(db: Kysely<WebhooksDb>, auditRetentionSeconds: number): Promise<void> {
  await forgetRows(db, 'operator_event', sql`at <= now() - make_interval(secs => ${auditRetentionSeconds})`)
}
