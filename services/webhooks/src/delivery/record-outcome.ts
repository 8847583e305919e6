import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Answer } from '../outgoing/outgoing.ts'
import type { WebhooksDb } from '../tables.ts'
import type { ClaimedDelivery } from './claim-deliveries.ts'
import { noteAttempt } from './receiver-health.ts'
import { honouredSeconds, parseRetryAfter, retryDelaySeconds } from './retry-schedule.ts'

export interface Recorded {
  isOver: boolean
  /** Whether the webhook has failed for so long that it should be disabled. */
  isBeyondHope: boolean
}

/**
 * One statement. Locks the webhook first, as in PATCH and DELETE. A stale attempt changes only its own row. Tests, and
 * webhooks that have been disabled in the meantime, get no further attempt.
 */
export async function recordOutcome(
  db: Kysely<WebhooksDb>,
  delivery: ClaimedDelivery,
  answer: Answer,
  retryScale: number,
): Promise<Recorded> {
  const { id, webhookId, attempts } = delivery
  const { statusCode, error, durationMs, responseBody } = answer
  const hasSucceeded = error === null
  const result = { hasSucceeded, isTimeout: answer.failure === 'timed_out', durationMs }
  const receiver = delivery.isTest
    ? sql`select false as may_retry, null::integer as activation, false as is_beyond_hope`
    : noteAttempt(webhookId, result, retryScale)
  const { rows } = await sql<Recorded>`
    with receiver as (${receiver}), next as (
      select case when (select may_retry and activation = delivery.activation from receiver) then ${nextAttemptAt(delivery, answer, retryScale)} end as at
      from delivery where id = ${id}
    ), outcome as (
      update delivery set claimed_until = null, claimed_at = null, success = ${hasSucceeded},
        status_code = ${statusCode}, error = ${error}, duration_ms = ${durationMs},
        is_redelivery = false, resume_at = null,
        next_attempt_at = next.at, done_at = case when next.at is null then now() end
      from next where id = ${id} and attempts = ${attempts} and claimed_until is not null
    ), ended as (
      update attempt set state = ${hasSucceeded ? 'succeeded' : 'failed'}, status_code = ${statusCode},
        error = ${error}, duration_ms = ${durationMs}, response_body = ${responseBody}
      where delivery_id = ${id} and attempt = ${attempts}
    )
    select (select at from next) is null as is_over,
      coalesce((select is_beyond_hope from receiver), false) as is_beyond_hope`.execute(db)
  return rows[0] ?? { isOver: true, isBeyondHope: false }
}

/** After a redelivery, the schedule continues where it was, unless it was over. */
function nextAttemptAt(delivery: ClaimedDelivery, answer: Answer, retryScale: number): RawBuilder<Date | null> {
  if (answer.error === null) return sql`null::timestamptz`
  const askedSeconds = answer.retryAfter === null ? null : parseRetryAfter(answer.retryAfter, new Date())
  if (delivery.isRedelivery) {
    const earliest = sql`now() + make_interval(secs => ${honouredSeconds(askedSeconds, retryScale)})`
    return sql`case when resume_at is not null then greatest(resume_at, ${earliest}) end`
  }
  const planned = delivery.attempts - delivery.redeliveries
  const wait = retryDelaySeconds(planned, { scale: retryScale, random: Math.random, askedSeconds })
  return sql`now() + make_interval(secs => ${wait})`
}

export async function releaseClaim(db: Kysely<WebhooksDb>, { id, attempts }: ClaimedDelivery): Promise<void> {
  await sql`
    with released as (
      update delivery set claimed_until = null, claimed_at = null where id = ${id} and attempts = ${attempts}
    )
    update attempt set state = 'unknown', error = 'The sender had to stop before the outcome was known'
    where delivery_id = ${id} and attempt = ${attempts} and state = 'sending'`.execute(db)
}

/** Undoes the claim and its attempt. Nothing is claimed for the webhook in the next `pauseSeconds`. */
export async function withdrawClaim(
  db: Kysely<WebhooksDb>,
  { id, webhookId, attempts }: ClaimedDelivery,
  pauseSeconds = 0,
): Promise<void> {
  if (pauseSeconds > 0) await pauseWebhook(db, webhookId, pauseSeconds)
  await sql`
    with withdrawn as (
      update delivery set claimed_until = null, claimed_at = null, attempts = attempts - 1,
        redeliveries = redeliveries - is_redelivery::integer
      where id = ${id} and attempts = ${attempts} and claimed_until is not null
      returning id
    )
    delete from attempt where delivery_id in (select id from withdrawn) and attempt = ${attempts}`.execute(db)
}

async function pauseWebhook(db: Kysely<WebhooksDb>, id: string, seconds: number): Promise<void> {
  await sql`
    update webhook set paused_until = greatest(paused_until, now() + make_interval(secs => ${seconds}))
    where id = ${id}`.execute(db)
}
