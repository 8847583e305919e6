import { type Kysely, sql, type Transaction } from 'kysely'
import type { DeliveryRow, WebhookRow, WebhooksDb } from './tables.ts'

/** A delivery that is this process's to send until its lease ends, and all that sending takes. */
export type ClaimedDelivery = Pick<
  DeliveryRow,
  'id' | 'webhookId' | 'eventId' | 'event' | 'body' | 'isTest' | 'traceparent'
> &
  Pick<WebhookRow, 'accountId' | 'url' | 'secretEncrypted'> & {
    /** Number of this attempt, from 1. Also the fence: an outcome counts only while it is the latest. */
    attempts: number
  }

export interface ClaimOptions {
  /** At most so many. */
  limit: number
  leaseSeconds: number
}

/**
 * Claims due deliveries of any webhooks, each webhook within its own slots, all replicas together. The claim locks the
 * webhook's row before it counts what is under way, in a statement of its own so that the count is not an old one.
 */
export async function claimDeliveries(db: Kysely<WebhooksDb>, options: ClaimOptions): Promise<ClaimedDelivery[]> {
  return await db.transaction().execute(async (trx) => {
    const webhookIds = await lockDueWebhooks(trx, options.limit)
    return webhookIds.length === 0 ? [] : await claimWithinSlots(trx, webhookIds, options)
  })
}

/**
 * Webhooks with something due and a slot free. Those that another replica is claiming for right now are left to it.
 * `pending` jumps from webhook to webhook along the index, so a long queue of one does not make the search longer;
 * the order is random so that none is always last.
 */
async function lockDueWebhooks(trx: Transaction<WebhooksDb>, limit: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    with recursive pending (webhook_id) as (
      (select webhook_id from delivery where next_attempt_at is not null order by webhook_id limit 1)
      union all
      select (
        select webhook_id from delivery
        where next_attempt_at is not null and webhook_id > pending.webhook_id order by webhook_id limit 1
      )
      from pending where webhook_id is not null
    )
    select w.id from webhook w join pending on pending.webhook_id = w.id
    where w.active and w.deleted_at is null
      and exists (
        select from delivery where webhook_id = w.id and next_attempt_at <= now()
          and (claimed_until is null or claimed_until <= now())
      )
      and w.slots > (select count(*) from delivery where webhook_id = w.id and claimed_until > now())
    order by random() limit ${limit}
    for no key update of w skip locked`.execute(trx)
  return rows.map(({ id }) => id)
}

/**
 * Fresh events go before retries, and webhooks take turns. The row of each attempt is written here, before anything is
 * sent; one that is still `sending` from before lost its process.
 */
async function claimWithinSlots(
  trx: Transaction<WebhooksDb>,
  webhookIds: string[],
  { limit, leaseSeconds }: ClaimOptions,
): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with due as (
      select d.id, d.attempts > 0 as is_retry, d.next_attempt_at, 
        row_number() over (partition by w.id order by d.attempts > 0, d.next_attempt_at) as turn
      from webhook w cross join lateral (
        select id, attempts, next_attempt_at from delivery
        where webhook_id = w.id and next_attempt_at <= now() and (claimed_until is null or claimed_until <= now())
        order by (attempts > 0), next_attempt_at
        limit greatest(0, w.slots - (select count(*) from delivery where webhook_id = w.id and claimed_until > now()))
        for update skip locked
      ) d
      where w.id = any(${webhookIds}::uuid[])
    ), chosen as (
      select id from due order by turn, is_retry, next_attempt_at limit ${limit}
    ), claimed as (
      update delivery d
      set attempts = attempts + 1, claimed_at = now(), claimed_until = now() + make_interval(secs => ${leaseSeconds})
      from chosen where d.id = chosen.id returning d.*
    ), lost as (
      update attempt a set state = 'unknown', error = 'The sender stopped before it recorded the outcome'
      from claimed where a.delivery_id = claimed.id and a.state = 'sending'
    ), begun as (
      insert into attempt (delivery_id, attempt, state) select id, attempts, 'sending' from claimed
    )
    select c.id, c.webhook_id, c.event_id, c.event, c.body, c.is_test, c.traceparent, c.attempts,
      w.account_id, w.url, w.secret_encrypted
    from claimed c join webhook w on w.id = c.webhook_id`.execute(trx)
  return rows
}
