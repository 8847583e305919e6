import { setTimeout as delay } from 'node:timers/promises'
import { every, type PeriodicTask } from '@tideport/service-kit/process/every'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { type Kysely, sql } from 'kysely'
import type { WebhookRow, WebhooksDb } from '../tables.ts'
import { skippedError } from './void-pending.ts'

const CLEAR_EVERY_MS = 5000
const WEBHOOKS_AT_ONCE = 20
const BATCH = 1000
type Voided = Pick<WebhookRow, 'id' | 'activation' | 'deletedAt'>

/**
 * Marks void deliveries as skipped. Removes deliveries of deleted webhooks, then the webhooks. One process clears a
 * webhook at a time.
 */
export function startClearing(db: Kysely<WebhooksDb>, options: { signal: AbortSignal; log: Log }): PeriodicTask {
  return every(CLEAR_EVERY_MS, 'clear void deliveries', (stopping) => clearVoided(db, stopping), options)
}

/** Clears one batch per webhook in rotation, until no more work is possible for now. */
export async function clearVoided(db: Kysely<WebhooksDb>, signal?: AbortSignal): Promise<void> {
  const beganAt = await databaseTime(db)
  for (let webhooks = await voidedBefore(db, beganAt); webhooks.length > 0; ) {
    for (const webhook of webhooks) {
      if (signal?.aborted) return
      await clearBatch(db, webhook)
    }
    webhooks = await voidedBefore(db, beganAt)
  }
}

async function databaseTime(db: Kysely<WebhooksDb>): Promise<Date> {
  const { rows } = await sql<{ at: Date }>`select now()::timestamptz(3) as at`.execute(db)
  return rows[0]?.at ?? new Date()
}

/** Pauses after a batch for as long as it took, which leaves half of the database's capacity to others. */
async function clearBatch(db: Kysely<WebhooksDb>, webhook: Voided): Promise<void> {
  const startedAt = performance.now()
  const count = await (webhook.deletedAt === null ? skipBatch(db, webhook) : removeBatch(db, webhook))
  if (count > 0) await delay(performance.now() - startedAt)
  else if (!(await lookLater(db, webhook))) await finish(db, webhook)
}

async function voidedBefore(db: Kysely<WebhooksDb>, time: Date): Promise<Voided[]> {
  return await db
    .selectFrom('webhook')
    .select(['id', 'activation', 'deletedAt'])
    .where('voidedAt', '<=', time)
    .orderBy('voidedAt')
    .limit(WEBHOOKS_AT_ONCE)
    .execute()
}

/** True for one process at a time, until its statement ends. */
const mayClear = ({ id }: Voided) => sql`pg_try_advisory_xact_lock(hashtextextended(${`clearing of ${id}`}, 0))`

const isUnderWay = sql`(claimed_until is not null and claimed_until > now())`

/** An attempt in progress continues. Its delivery is skipped in a later batch. */
async function skipBatch(db: Kysely<WebhooksDb>, webhook: Voided): Promise<number> {
  const result = await sql`
    with turn as materialized (select ${mayClear(webhook)} as is_mine), batch as materialized (
      select id from delivery
      where (select is_mine from turn) and webhook_id = ${webhook.id} and activation < ${webhook.activation}
        and next_attempt_at is not null and not ${isUnderWay}
      limit ${BATCH} for update skip locked
    )
    update delivery set next_attempt_at = null, claimed_until = null, claimed_at = null, done_at = now(),
      is_redelivery = false, resume_at = null, error = coalesce(error, ${skippedError})
    from batch where delivery.id = batch.id`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}

async function removeBatch(db: Kysely<WebhooksDb>, webhook: Voided): Promise<number> {
  const result = await sql`
    with turn as materialized (select ${mayClear(webhook)} as is_mine), batch as materialized (
      select id from delivery where (select is_mine from turn) and webhook_id = ${webhook.id} and not ${isUnderWay}
      limit ${BATCH} for update skip locked
    )
    delete from delivery using batch where delivery.id = batch.id`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}

/** Whether deliveries remain that this process cannot clear now: in progress, or locked by another process. */
const isLeft = ({ id, activation, deletedAt }: Voided) => sql`exists (
  select from delivery where webhook_id = ${id}
    and (${deletedAt !== null} or activation < ${activation} and next_attempt_at is not null)
)`

/** Moves a webhook behind the others if deliveries remain. */
async function lookLater(db: Kysely<WebhooksDb>, webhook: Voided): Promise<boolean> {
  const result = await sql`
    update webhook set voided_at = clock_timestamp() + interval '1 millisecond'
    where id = ${webhook.id} and ${isLeft(webhook)}`.execute(db)
  return Number(result.numAffectedRows ?? 0) > 0
}

/** A delivery that is later inserted for a past activation marks the webhook again (migrations). */
async function finish(db: Kysely<WebhooksDb>, webhook: Voided): Promise<void> {
  const { id, activation, deletedAt } = webhook
  await (deletedAt === null
    ? sql`update webhook set voided_at = null where id = ${id} and activation = ${activation} and not ${isLeft(webhook)}`
    : sql`delete from webhook where id = ${id} and not ${isLeft(webhook)}`
  ).execute(db)
}
