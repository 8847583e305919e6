import { setTimeout as delay } from 'node:timers/promises'
import { type Clock, every } from '@tideport/service-kit/every'
import type { Log } from '@tideport/service-kit/logger'
import { type Kysely, sql } from 'kysely'
import type { WebhookRow, WebhooksDb } from './tables.ts'
import { skippedError } from './void-pending.ts'

const CLEAR_EVERY_MS = 5000
const WEBHOOKS_AT_ONCE = 20
const BATCH = 1000
/** A delivery can still be made by a statement that began before the webhook was switched off; none lasts that long. */
const LATE_SECONDS = 60

type Voided = Pick<WebhookRow, 'id' | 'activation' | 'deletedAt'>

/**
 * Ends what is void and removes what belongs to deleted webhooks, and then these. Each webhook is worked on by one
 * process at a time; several share the webhooks.
 */
export function startClearing(db: Kysely<WebhooksDb>, options: { signal: AbortSignal; log: Log }): Clock {
  return every(CLEAR_EVERY_MS, 'clear void deliveries', (stopping) => clearVoided(db, stopping), options)
}

/** Goes round the webhooks, a batch each, until nothing can be done at the moment. */
export async function clearVoided(db: Kysely<WebhooksDb>, signal?: AbortSignal): Promise<void> {
  let cleared: number
  do {
    cleared = 0
    for (const webhook of await longestVoided(db)) {
      if (signal?.aborted) return
      cleared += await clearBatch(db, webhook)
    }
  } while (cleared > 0)
}

/** How many deliveries it was. After a batch others have as much time as it took, so half of what the database can do. */
async function clearBatch(db: Kysely<WebhooksDb>, webhook: Voided): Promise<number> {
  const isDeleted = webhook.deletedAt !== null
  const startedAt = performance.now()
  const count = await (isDeleted ? removeBatch(db, webhook) : skipBatch(db, webhook))
  if (count === 0) await (isDeleted ? removeWebhook(db, webhook) : noteCleared(db, webhook))
  else await delay(performance.now() - startedAt)
  return count
}

async function longestVoided(db: Kysely<WebhooksDb>): Promise<Voided[]> {
  return await db
    .selectFrom('webhook')
    .select(['id', 'activation', 'deletedAt'])
    .where('voidedAt', 'is not', null)
    .orderBy('voidedAt')
    .limit(WEBHOOKS_AT_ONCE)
    .execute()
}

/** True for one process at a time, until the end of its statement. */
const mayClear = ({ id }: Voided) => sql`pg_try_advisory_xact_lock(hashtextextended(${`clearing of ${id}`}, 0))`

const isUnderWay = sql`(claimed_until is not null and claimed_until > now())`

/** An attempt under way goes on; what it leaves behind is ended later. */
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

async function noteCleared(db: Kysely<WebhooksDb>, { id, activation }: Voided): Promise<void> {
  await sql`
    update webhook set voided_at = null
    where id = ${id} and activation = ${activation} and voided_at < now() - make_interval(secs => ${LATE_SECONDS})
      and not exists (
        select from delivery where webhook_id = ${id} and activation < ${activation} and next_attempt_at is not null
      )`.execute(db)
}

/** Its last secrets go with it, and a delivery that was made just now. */
async function removeWebhook(db: Kysely<WebhooksDb>, { id }: Voided): Promise<void> {
  await sql`
    delete from webhook where id = ${id} and not exists (select from delivery where webhook_id = ${id})`.execute(db)
}
