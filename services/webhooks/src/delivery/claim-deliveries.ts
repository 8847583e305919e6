import { type Kysely, sql, type Transaction } from 'kysely'
import { validPreviousSecrets } from '../secrets/previous-secrets.ts'
import { underWayPerAccountMax } from '../subscriptions/limits.ts'
import type { DeliveryRow, WebhookRow, WebhooksDb } from '../tables.ts'
import { type EndedAttempt, lockReady, reschedule } from './ready-webhooks.ts'
import { openSlots } from './receiver-health.ts'

/** A delivery that only this process may send until its claim expires, with all data for sending. */
export type ClaimedDelivery = Pick<
  DeliveryRow,
  'id' | 'webhookId' | 'eventId' | 'event' | 'body' | 'isTest' | 'traceparent' | 'isRedelivery' | 'redeliveries'
> &
  Pick<WebhookRow, 'accountId' | 'url' | 'secretEncrypted'> & {
    /** Number of this attempt, from 1. Also a fence: only the outcome of the latest attempt counts. */
    attempts: number
    /** The last attempt at this webhook failed, so the receiver may have caused the delay of this one. */
    isReceiverFailing: boolean
    /** Previous secrets that still sign, oldest first, encrypted like the current one. */
    previousSecretsEncrypted: string[]
  }

interface ClaimOptions {
  limit: number
  claimSeconds: number
  /** Attempts that finished here since the last claim. Also checks the deliveries that waited for them. */
  ended?: readonly EndedAttempt[]
}

export interface Claims {
  deliveries: ClaimedDelivery[]
  /** The part of `ended` that another process had locked. Pass it to the next claim. */
  missed: EndedAttempt[]
}

/**
 * Keeps webhooks within their slots and accounts within their share, across all replicas. Locks in an earlier statement
 * than the count, which would otherwise see the state before the locks.
 */
export async function claimDeliveries(db: Kysely<WebhooksDb>, options: ClaimOptions): Promise<Claims> {
  const ended = options.ended ?? []
  return await db.transaction().execute(async (trx) => {
    const { locked, missed } = await lockReady(trx, options.limit, ended)
    const deliveries = locked.length === 0 ? [] : await claimWithinSlots(trx, locked, options)
    if (locked.length > 0) await reschedule(trx, locked)
    return { deliveries, missed: ended.filter(({ webhookId }) => missed.includes(webhookId)) }
  })
}

/** New events go before retries, and webhooks alternate. Writes the row of each attempt before anything is sent. */
async function claimWithinSlots(
  trx: Transaction<WebhooksDb>,
  webhookIds: string[],
  { limit, claimSeconds }: ClaimOptions,
): Promise<ClaimedDelivery[]> {
  const { rows } = await sql<ClaimedDelivery>`
    with share as (
      select mine.account_id, ${underWayPerAccountMax} - count(d.id) as room
      from (select distinct account_id from webhook where id = any(${webhookIds}::uuid[])) mine
        join webhook w on w.account_id = mine.account_id
        left join delivery d on d.webhook_id = w.id and d.claimed_until > now()
      group by mine.account_id
    ), due as (
      select d.id, w.account_id, d.attempts > 0 as is_retry, d.next_attempt_at,
        row_number() over (partition by w.id order by d.attempts > 0, d.next_attempt_at) as turn
      from webhook w cross join lateral (
        select id, attempts, next_attempt_at from delivery
        where webhook_id = w.id and activation = w.activation and next_attempt_at <= now() and (claimed_until is null or claimed_until <= now())
        order by (attempts > 0), next_attempt_at
        limit greatest(0, ${openSlots} - (select count(*) from delivery where webhook_id = w.id and claimed_until > now()))
        for update skip locked
      ) d
      where w.id = any(${webhookIds}::uuid[])
    ), ranked as (
      select *, row_number() over (partition by account_id order by turn, is_retry, next_attempt_at) as place from due
    ), chosen as (
      select id from ranked join share using (account_id) where place <= room
      order by turn, is_retry, next_attempt_at limit ${limit}
    ), claimed as (
      update delivery d
      set attempts = attempts + 1, redeliveries = redeliveries + is_redelivery::integer, claimed_at = now(), claimed_until = now() + make_interval(secs => ${claimSeconds})
      from chosen where d.id = chosen.id returning d.*
    ), lost as (
      update attempt a set state = 'unknown', error = 'The sender stopped before it recorded the outcome'
      from claimed where a.delivery_id = claimed.id and a.state = 'sending'
    ), begun as (
      insert into attempt (delivery_id, attempt, state) select id, attempts, 'sending' from claimed
    )
    select c.id, c.webhook_id, c.event_id, c.event, c.body, c.is_test, c.traceparent, c.attempts, c.is_redelivery,
      c.redeliveries, w.consecutive_failures > 0 as is_receiver_failing, w.account_id, w.url, w.secret_encrypted,
      ${validPreviousSecrets(sql`w.id`)} as previous_secrets_encrypted
    from claimed c join webhook w on w.id = c.webhook_id`.execute(trx)
  return rows
}
