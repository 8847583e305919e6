import { FORGET_BATCH, forgetRows } from '@tideport/service-kit/postgres/forget-rows'
import { every, type PeriodicTask } from '@tideport/service-kit/process/every'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { type Kysely, sql } from 'kysely'
import type { WebhooksDb } from '../tables.ts'

const PRUNE_EVERY_MS = 60_000

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

/** Deliveries in batches with their attempts, and secrets past their overlap. */
export async function prune(db: Kysely<WebhooksDb>, retentionSeconds: number, signal?: AbortSignal): Promise<void> {
  await forgetRows(db, 'previous_secret', sql`valid_until <= now()`)
  for (let removed = FORGET_BATCH; removed === FORGET_BATCH && signal?.aborted !== true; ) {
    removed = await forgetRows(db, 'delivery', isPast(retentionSeconds))
  }
}

/** What is still to be sent stays, however old. */
const isPast = (retentionSeconds: number) => sql`created_at < now() - make_interval(secs => ${retentionSeconds})
  and next_attempt_at is null and (claimed_until is null or claimed_until <= now())`

export async function forgetOperations(db: Kysely<WebhooksDb>, auditRetentionSeconds: number): Promise<void> {
  await forgetRows(db, 'operator_event', sql`at <= now() - make_interval(secs => ${auditRetentionSeconds})`)
}
