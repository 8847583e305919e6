import type { Metrics } from '@tideport/service-kit/metrics'
import { type Kysely, sql } from 'kysely'
import { firstUnclaimed } from './ready-webhooks.ts'
import type { WebhooksDb } from './tables.ts'

export interface DeliveryMetrics {
  /** `failed` will be tried again, `given_up` will not; a test is neither. */
  observeAttempt(outcome: 'succeeded' | 'failed' | 'given_up' | 'test', seconds: number): void
}

/** What an operator watches: attempts by outcome, how long they took, and how late the oldest due delivery is. */
export function createDeliveryMetrics(metrics: Metrics, db: Kysely<WebhooksDb>): DeliveryMetrics {
  const duration = metrics.histogram({
    name: 'tideport_webhook_attempt_duration_seconds',
    help: 'Time of one attempt, from the connection to the end of the answer',
    labelNames: ['outcome'],
    buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30, 60],
  })
  metrics.gauge({
    name: 'tideport_webhook_oldest_due_seconds',
    help: 'Age of the oldest delivery that is due, not under way and not held back by its receiver; 0 when there is none',
    async collect() {
      const age = await oldestDueSeconds(db).catch(() => null)
      if (age === null) this.reset()
      else this.set(age)
    },
  })
  return { observeAttempt: (outcome, seconds) => duration.labels(outcome).observe(seconds) }
}

/** From webhook to webhook by the first entries of an index, however many deliveries wait. */
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
