import type { AnyEvent } from '@tideport/contracts/internal/messages'
import type { BatchEntry } from '@tideport/service-kit/nats/consume-batches'
import { type Kysely, sql } from 'kysely'
import { v7 as newId } from 'uuid'
import type { WebhooksDb } from '../tables.ts'

interface FanOutDeps {
  db: Kysely<WebhooksDb>
  onDeliveries: () => void
}

export function fanOut({ db, onDeliveries }: FanOutDeps) {
  return async (batch: BatchEntry<AnyEvent>[]): Promise<void> => {
    const inserted = await insertDeliveries(db, batch)
    if (inserted > 0) onDeliveries()
  }
}

/**
 * Can be repeated. Webhooks that subscribed after the event get nothing. All times come from Postgres. The key lock
 * waits for a deletion in progress. The order prevents deadlocks between batches with the same events.
 */
async function insertDeliveries(db: Kysely<WebhooksDb>, batch: BatchEntry<AnyEvent>[]): Promise<number> {
  const column = (read: (entry: BatchEntry<AnyEvent>) => string) => batch.map(read)
  const result = await sql`
    with news as (
      select * from unnest(
        ${column(() => newId())}::text[], ${column(({ data }) => data.eventId)}::uuid[],
        ${column(({ data }) => data.accountId)}::uuid[], ${column(({ data }) => data.payload.event)}::text[],
        ${column(({ data }) => data.payload.timestamp)}::timestamptz[],
        ${column(({ data }) => JSON.stringify(data.payload))}::text[], ${column(({ trace }) => trace.traceparent)}::text[]
      ) as news (new_id, event_id, account_id, event, at, body, traceparent)
    ), subscriber as (
      select webhook.id as webhook_id, activation, news.* from webhook join news using (account_id)
      where active and deleted_at is null
        and news.event = any(events) and active_since <= news.at
        and coalesce((event_since ->> news.event)::timestamptz <= news.at, true)
      for key share of webhook
    )
    insert into delivery (id, webhook_id, activation, event_id, event, body, traceparent)
    select (left(new_id, -2) || lpad(to_hex(row_number() over (partition by new_id)), 2, '0'))::uuid,
      webhook_id, activation, event_id, event, body, traceparent
    from subscriber order by event_id, webhook_id
    on conflict (event_id, webhook_id) do nothing`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}
