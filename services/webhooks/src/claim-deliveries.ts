import { type Kysely, sql, type Transaction } from 'kysely'
import { underWayPerAccountMax } from './limits.ts'
import { validPreviousSecrets } from './previous-secrets.ts'
import { openSlots } from './receiver-health.ts'
import type { DeliveryRow, WebhookRow, WebhooksDb } from './tables.ts'

/** A delivery that is this process's to send until its lease ends, and all that sending takes. */
export type ClaimedDelivery = Pick<
  DeliveryRow,
  'id' | 'webhookId' | 'eventId' | 'event' | 'body' | 'isTest' | 'traceparent' | 'isRedelivery' | 'redeliveries'
> &
  Pick<WebhookRow, 'accountId' | 'url' | 'secretEncrypted'> & {
    /** Number of this attempt, from 1. Also the fence: an outcome counts only while it is the latest. */
    attempts: number
    /** Secrets of before that still sign, oldest first, encrypted like the current one. */
    previousSecretsEncrypted: string[]
  }

export interface ClaimOptions {
  /** At most so many. */
  limit: number
  leaseSeconds: number
}

export interface Claims {
  deliveries: ClaimedDelivery[]
  /** Whether another replica was claiming for some webhook just then, so there may be more. */
  isContended: boolean
}

/**
 * Claims due deliveries of any webhooks, each webhook within its own slots and each account within its share, all
 * replicas together. The claim locks the accounts and the webhooks' rows before it counts what is under way, in a
 * statement of its own so that the count is not an old one.
 */
export async function claimDeliveries(db: Kysely<WebhooksDb>, options: ClaimOptions): Promise<Claims> {
  return await db.transaction().execute(async (trx) => {
    const { due, locked } = await lockDueWebhooks(trx, options.limit)
    const deliveries = locked.length === 0 ? [] : await claimWithinSlots(trx, locked, options)
    return { deliveries, isContended: locked.length < due }
  })
}

/**
 * Webhooks with something due and a slot free. Those of accounts that another replica is claiming for right now are left to it.
 * `pending` jumps from webhook to webhook along the index, so a long queue of one does not make the search longer;
 * the order is random so that none is always last. The commit need not wait for the disk: a claim that Postgres loses
 * in a crash is only made again.
 */
async function lockDueWebhooks(
  trx: Transaction<WebhooksDb>,
  limit: number,
): Promise<{ due: number; locked: string[] }> {
  const { rows } = await sql<{ due: number; locked: string[] }>`
    with recursive pending (webhook_id) as (
      (select webhook_id from delivery where next_attempt_at is not null order by webhook_id limit 1)
      union all
      select (
        select webhook_id from delivery
        where next_attempt_at is not null and webhook_id > pending.webhook_id order by webhook_id limit 1
      )
      from pending where webhook_id is not null
    ), busy_account as materialized (
      select w.account_id from delivery d join webhook w on w.id = d.webhook_id
      where d.claimed_until > now() group by w.account_id having count(*) >= ${underWayPerAccountMax}
    ), due as materialized (
      select w.id, w.account_id from webhook w join pending on pending.webhook_id = w.id
      where w.active and w.deleted_at is null and w.account_id not in (select account_id from busy_account)
        and exists (
          select from delivery where webhook_id = w.id and next_attempt_at <= now()
            and (claimed_until is null or claimed_until <= now())
        )
        and ${openSlots} > (select count(*) from delivery where webhook_id = w.id and claimed_until > now())
      order by random() limit ${limit}
    ), mine as materialized (
      select id from due where pg_try_advisory_xact_lock(hashtextextended('claims of ' || account_id, 0))
    ), locked as (
      select id from webhook where id in (select id from mine) and active and deleted_at is null
      for no key update skip locked
    )
    select (select count(*) from due) as due, array(select id from locked) as locked,
      set_config('synchronous_commit', 'off', true)`.execute(trx)
  return rows[0] ?? { due: 0, locked: [] }
}

/**
 * Fresh events go before retries, and webhooks take turns, also for their account's share. The row of each attempt is written here, before anything is
 * sent; one that is still `sending` from before lost its process.
 */
async function claimWithinSlots(
  trx: Transaction<WebhooksDb>,
  webhookIds: string[],
  { limit, leaseSeconds }: ClaimOptions,
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
        where webhook_id = w.id and next_attempt_at <= now() and (claimed_until is null or claimed_until <= now())
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
      set attempts = attempts + 1, redeliveries = redeliveries + is_redelivery::integer, claimed_at = now(), claimed_until = now() + make_interval(secs => ${leaseSeconds})
      from chosen where d.id = chosen.id returning d.*
    ), lost as (
      update attempt a set state = 'unknown', error = 'The sender stopped before it recorded the outcome'
      from claimed where a.delivery_id = claimed.id and a.state = 'sending'
    ), begun as (
      insert into attempt (delivery_id, attempt, state) select id, attempts, 'sending' from claimed
    )
    select c.id, c.webhook_id, c.event_id, c.event, c.body, c.is_test, c.traceparent, c.attempts, c.is_redelivery,
      c.redeliveries, w.account_id, w.url, w.secret_encrypted,
      ${validPreviousSecrets(sql`w.id`)} as previous_secrets_encrypted
    from claimed c join webhook w on w.id = c.webhook_id`.execute(trx)
  return rows
}
