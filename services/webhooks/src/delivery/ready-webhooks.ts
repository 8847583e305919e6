import { type Kysely, type RawBuilder, sql, type Transaction } from 'kysely'
import { underWayPerAccountMax } from '../subscriptions/limits.ts'
import type { DeliveryRow, WebhookRow, WebhooksDb } from '../tables.ts'
import { openSlots } from './receiver-health.ts'

/** A finished attempt may free a slot of its webhook, and a share for other webhooks of its account. */
export type EndedAttempt = Pick<DeliveryRow, 'webhookId'> & Pick<WebhookRow, 'accountId'>

/** Sets a webhook's row so that the next claim checks it. */
export const looksDue = { nextDueAt: sql<Date>`now()`, heldUntil: null, isHeldByAccount: false }

const readyAt = sql`greatest(next_due_at, held_until)`
const isLive = sql`active and deleted_at is null`

/** Milliseconds until a webhook is ready, 0 if one is ready now, null if none is scheduled. */
export async function msUntilReady(db: Kysely<WebhooksDb>): Promise<number | null> {
  const { rows } = await sql<{ ms: number }>`
    select greatest(0, extract(epoch from ${readyAt} - now()) * 1000)::float8 as ms from webhook
    where ${isLive} and next_due_at is not null order by ${readyAt} limit 1`.execute(db)
  return rows[0]?.ms ?? null
}

/**
 * Locks up to `limit` webhooks, longest ready first, and those of finished attempts. Skips locked rows, and accounts
 * that another replica is claiming for. The commit does not wait for the disk, because a claim lost in a crash is
 * repeated.
 */
export async function lockReady(
  trx: Transaction<WebhooksDb>,
  limit: number,
  ended: readonly EndedAttempt[],
): Promise<{ locked: string[]; missed: string[] }> {
  const endedIds = sql`${ended.map(({ webhookId }) => webhookId)}::uuid[]`
  const accountIds = sql`${ended.map(({ accountId }) => accountId)}::uuid[]`
  const { rows } = await sql<{ locked: string[]; missed: string[] }>`
    with ready as materialized (
      select id, account_id from webhook
      where ${isLive} and next_due_at is not null and ${readyAt} <= now()
      order by ${readyAt} limit ${limit} for no key update skip locked
    ), freed as materialized (
      select id, account_id from webhook
      where ${isLive} and (id = any(${endedIds}) or account_id = any(${accountIds}) and is_held_by_account)
      for no key update skip locked
    ), found as materialized (
      select id, account_id from ready union select id, account_id from freed
    ), mine as materialized (
      select account_id from (select distinct account_id from found) account
      where pg_try_advisory_xact_lock(hashtextextended('claims of ' || account_id, 0))
    ), locked as materialized (
      select id from found where account_id in (select account_id from mine)
    )
    select array(select id from locked) as locked,
      array(select id from webhook where id = any(${endedIds}) and ${isLive} except select id from locked) as missed,
      set_config('synchronous_commit', 'off', true)`.execute(trx)
  return rows[0] ?? { locked: [], missed: [] }
}

/** When the first unclaimed delivery is due, among either retries or new deliveries. One row or none. */
export const firstUnclaimed = (isRetry: RawBuilder<unknown>) => sql`(
  select next_attempt_at from delivery
  where webhook_id = w.id and activation = w.activation and (attempts > 0) ${isRetry} and next_attempt_at is not null
    and (claimed_until is null or claimed_until <= now())
  order by next_attempt_at limit 1
)`

/** Call with the rows locked, in a statement after the claim, so that it sees the claim. */
export async function reschedule(trx: Transaction<WebhooksDb>, webhookIds: readonly string[]): Promise<void> {
  await sql`
    with account as materialized (
      select mine.account_id, count(d.id) as under_way, min(d.claimed_until) as until
      from (select distinct account_id from webhook where id = any(${webhookIds}::uuid[])) mine
        join webhook w on w.account_id = mine.account_id
        left join delivery d on d.webhook_id = w.id and d.claimed_until > now()
      group by mine.account_id
    ), plan as (
      select w.id, next.due_at as next_due_at,
        case when w.paused_until > now() then w.paused_until
          when w.circuit_open_until > now() then w.circuit_open_until
          when own.under_way >= ${openSlots} then own.until
          when account.under_way >= ${underWayPerAccountMax} then account.until end as held_until,
        own.under_way < ${openSlots} and account.under_way >= ${underWayPerAccountMax} as is_held_by_account
      from webhook w join account using (account_id) cross join lateral (
        select count(*) as under_way, min(claimed_until) as until from delivery
        where webhook_id = w.id and claimed_until > now()
      ) own cross join lateral (
        select least(${firstUnclaimed(sql`is true`)}, ${firstUnclaimed(sql`is false`)}, own.until) as at
      ) first cross join lateral (
        select case when first.at is not null then greatest(first.at, now()) end as due_at
      ) next
      where w.id = any(${webhookIds}::uuid[])
    )
    update webhook set
      next_due_at = plan.next_due_at, held_until = plan.held_until, is_held_by_account = plan.is_held_by_account
    from plan where webhook.id = plan.id and (webhook.next_due_at, webhook.held_until, webhook.is_held_by_account)
      is distinct from (plan.next_due_at, plan.held_until, plan.is_held_by_account)`.execute(trx)
}

export async function makeReady(db: Kysely<WebhooksDb>, webhookId: string): Promise<void> {
  await db.updateTable('webhook').set(looksDue).where('id', '=', webhookId).execute()
}
