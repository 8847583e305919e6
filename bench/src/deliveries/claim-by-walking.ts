import { underWayPerAccountMax } from '@tideport/webhooks/src/subscriptions/limits.ts'
import type { WebhooksDb } from '@tideport/webhooks/src/tables.ts'
import { type Kysely, sql } from 'kysely'

/**
 * How claims found their webhooks before: along the index of pending deliveries, asking of each whether it is ready.
 */
export async function findByWalking(db: Kysely<WebhooksDb>, limit: number): Promise<number> {
  const { rows } = await sql`
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
    )
    select w.id from webhook w join pending on pending.webhook_id = w.id
    where w.active and w.deleted_at is null and w.account_id not in (select account_id from busy_account)
      and exists (
        select from delivery where webhook_id = w.id and next_attempt_at <= now()
          and (claimed_until is null or claimed_until <= now())
      )
      and (case when w.circuit_open_until is null then w.slots when w.circuit_open_until <= now() then 1 else 0 end)
        > (select count(*) from delivery where webhook_id = w.id and claimed_until > now())
    order by random() limit ${limit}`.execute(db)
  return rows.length
}
