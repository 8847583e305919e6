import { type Kysely, sql } from 'kysely'
import type { ClaimedDelivery } from './claim-deliveries.ts'
import type { Answer } from './outgoing.ts'
import type { WebhooksDb } from './tables.ts'

/**
 * Ends an attempt, in one statement: its row, the delivery (done, or due again after `retryDelaySeconds`) and the
 * webhook's count of failures. The webhook comes first, as everywhere: PATCH and DELETE lock it before deliveries. A
 * webhook that was switched off meanwhile gets no further attempt, a test never does nor is it counted. An attempt
 * whose lease ran out and that another process has begun anew changes only its own row.
 */
export async function recordOutcome(
  db: Kysely<WebhooksDb>,
  { id, webhookId, attempts, isTest }: ClaimedDelivery,
  { statusCode, error, durationMs, responseBody }: Answer,
  retryDelaySeconds: number | null,
): Promise<void> {
  const hasSucceeded = error === null
  await sql`
    with subscription as (
      update webhook set
        consecutive_failures = case when ${hasSucceeded} then 0 else consecutive_failures + 1 end,
        failing_since = case when ${hasSucceeded} then null else coalesce(failing_since, now()) end
      where id = ${webhookId} and not ${isTest} and (not ${hasSucceeded} or consecutive_failures > 0)
      returning active and deleted_at is null as may_retry
    ), next as (
      select case when (select may_retry from subscription)
        then now() + make_interval(secs => ${hasSucceeded ? null : retryDelaySeconds}) end as at
    ), outcome as (
      update delivery set claimed_until = null, claimed_at = null, success = ${hasSucceeded},
        status_code = ${statusCode}, error = ${error}, duration_ms = ${durationMs},
        next_attempt_at = next.at, done_at = case when next.at is null then now() end
      from next where id = ${id} and attempts = ${attempts} and claimed_until is not null
    )
    update attempt set state = ${hasSucceeded ? 'succeeded' : 'failed'}, status_code = ${statusCode},
      error = ${error}, duration_ms = ${durationMs}, response_body = ${responseBody}
    where delivery_id = ${id} and attempt = ${attempts}`.execute(db)
}

/** Gives a claim back without an outcome, so that another process can take it at once. */
export async function releaseClaim(db: Kysely<WebhooksDb>, { id, attempts }: ClaimedDelivery): Promise<void> {
  await sql`
    with released as (
      update delivery set claimed_until = null, claimed_at = null where id = ${id} and attempts = ${attempts}
    )
    update attempt set state = 'unknown', error = 'The sender had to stop before the outcome was known'
    where delivery_id = ${id} and attempt = ${attempts} and state = 'sending'`.execute(db)
}
