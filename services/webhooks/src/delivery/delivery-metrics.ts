import type { EventType } from '@tideport/contracts/public/webhook-payload'
import { cachedFor } from '@tideport/service-kit/process/cached-for'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import { type Kysely, sql } from 'kysely'
import type { WebhooksDb } from '../tables.ts'
import { firstUnclaimed } from './ready-webhooks.ts'

const CACHED_MS = 5000

interface EndedDelivery {
  event: EventType
  /** `failed` will be retried, `given_up` will not. A test is neither. */
  outcome: 'succeeded' | 'failed' | 'given_up' | 'test'
  /** 0 without a response. */
  statusCode: number
  seconds: number
  /** From the event to the end of its first attempt. Undefined for later attempts and failing receivers. */
  firstAfterSeconds: number | undefined
}

export interface DeliveryMetrics {
  observeAttempt(ended: EndedDelivery): void
}

export function createDeliveryMetrics(metrics: Metrics, db: Kysely<WebhooksDb>): DeliveryMetrics {
  const deliveries = metrics.counter({
    name: 'tideport_webhook_deliveries_total',
    help: 'Delivery attempts by outcome',
    labelNames: ['event', 'outcome'],
  })
  const duration = metrics.histogram({
    name: 'tideport_webhook_delivery_duration_seconds',
    help: 'Duration of one attempt, from the connection to the end of the response',
    labelNames: ['outcome'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60],
  })
  const firstAfter = metrics.histogram({
    name: 'tideport_webhook_first_attempt_age_seconds',
    help: 'Time from an event to the end of its first delivery attempt, without receivers that are failing',
    buckets: [0.5, 1, 2.5, 5, 15, 30, 60, 120, 300, 900, 3600, 14_400],
  })
  showWaiting(metrics, db)
  return {
    observeAttempt({ event, outcome, statusCode, seconds, firstAfterSeconds }) {
      deliveries.labels(event, outcome).inc()
      duration.labels(outcome).observe(seconds)
      if (firstAfterSeconds !== undefined) firstAfter.observe(Math.max(0, firstAfterSeconds))
      metrics.observeCall({ peer: 'webhook_receiver', operation: 'POST', outcome: statusCode || 'failed' }, seconds)
    },
  }
}

function showWaiting(metrics: Metrics, db: Kysely<WebhooksDb>): void {
  const show = (name: string, help: string, ask: () => Promise<number | null>) => {
    const find = cachedFor(CACHED_MS, () => ask().catch(() => null))
    metrics.show(name, help, find)
  }
  show(
    'tideport_webhook_oldest_pending_age_seconds',
    'Age of the oldest due delivery that is neither in progress nor blocked by a limit; 0 if none',
    () => oldestDueSeconds(db),
  )
  show('tideport_webhooks_disabled', 'Webhooks that were disabled because of their receiver', () => countDisabled(db))
}

/** Reads only the first index entries of each webhook, however many deliveries wait. */
async function oldestDueSeconds(db: Kysely<WebhooksDb>): Promise<number> {
  const { rows } = await sql<{ seconds: number }>`
    select coalesce(extract(epoch from now() - min(next_attempt_at)), 0)::float8 as seconds
    from (
      select id, activation from webhook
      where active and deleted_at is null and next_due_at is not null and greatest(next_due_at, held_until) <= now()
    ) w cross join lateral (${firstUnclaimed(sql`is true`)} union all ${firstUnclaimed(sql`is false`)}) d
    where next_attempt_at <= now()`.execute(db)
  return rows[0]?.seconds ?? 0
}

async function countDisabled(db: Kysely<WebhooksDb>): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) from webhook where disabled_reason is not null and deleted_at is null`.execute(db)
  return rows[0]?.count ?? 0
}
