import type { FileEvent } from '@tideport/contracts/messages'
import type { MessageContext } from '@tideport/service-kit/settle-message'
import { type Kysely, sql } from 'kysely'
import { v7 as newId } from 'uuid'
import { webhooksPerAccountMax } from './limits.ts'
import type { WebhooksDb } from './tables.ts'

export interface FanOutDeps {
  db: Kysely<WebhooksDb>
  /** Called after new deliveries are committed. */
  onDeliveries: () => void
}

/** Handler of every file event: one delivery row for each webhook that wants it, and nothing else. */
export function fanOut({ db, onDeliveries }: FanOutDeps) {
  return async (event: FileEvent, { trace }: Pick<MessageContext, 'trace'>): Promise<void> => {
    const inserted = await insertDeliveries(db, event, trace.traceparent)
    if (inserted > 0) onDeliveries()
  }
}

/**
 * One statement, harmless to repeat. Webhooks that were made, switched on or given this type after the event get
 * nothing: the event's time, `active_since` and `event_since` are all Postgres's. The key lock waits for a deletion under way.
 */
async function insertDeliveries(db: Kysely<WebhooksDb>, event: FileEvent, traceparent: string): Promise<number> {
  const { eventId, accountId, payload } = event
  const ids = Array.from({ length: webhooksPerAccountMax }, () => newId())
  const result = await sql`
    with subscriber as (
      select id, activation from webhook
      where account_id = ${accountId} and active and deleted_at is null
        and ${payload.event} = any(events) and active_since <= ${payload.timestamp}::timestamptz
        and coalesce((event_since ->> ${payload.event})::timestamptz <= ${payload.timestamp}::timestamptz, true)
      for key share
    )
    insert into delivery (id, webhook_id, activation, event_id, event, body, traceparent)
    select (${ids}::uuid[])[row_number() over ()], id, activation, ${eventId}, ${payload.event}, ${JSON.stringify(payload)}, ${traceparent}
    from subscriber
    on conflict (event_id, webhook_id) do nothing`.execute(db)
  return Number(result.numAffectedRows ?? 0)
}
