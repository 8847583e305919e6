import { readWebhookFeed } from '@tideport/contracts/public/webhooks'
import { invalidInput } from '@tideport/service-kit/http/invalid-input'
import { type ListCursor, listCursor, positionParts } from '@tideport/service-kit/http/list-cursor'
import { serve } from '@tideport/service-kit/http/route'
import { type Kysely, sql } from 'kysely'
import { z } from 'zod'
import type { WebhooksDeps } from '../deps.ts'
import { findWebhook } from '../subscriptions/find-webhook.ts'
import type { DeliveryRow, WebhooksDb } from '../tables.ts'
import { toDelivery } from '../views.ts'

/** The last delivery that a reader has seen. Deliveries of one transaction are ordered by ID. */
export interface FeedPosition {
  /** An xid8 in the text format of Postgres. */
  transaction: string
  id: string
}

const noId = '00000000-0000-0000-0000-000000000000'
const shape = z.object({ transaction: z.string().regex(/^\d{1,19}$/), id: positionParts.id })

const feedCursor = (
  db: Kysely<WebhooksDb>,
  { accountId, webhookId }: { accountId: string; webhookId: string },
): Promise<ListCursor<FeedPosition>> => listCursor(db, { reader: accountId, list: 'feed', webhookId }, shape)

/** The start position of a new reader: before all transactions that are not committed yet. */
export async function newestPosition(db: Kysely<WebhooksDb>): Promise<FeedPosition> {
  const { rows } = await sql<{ transaction: string }>`
    select pg_snapshot_xmin(pg_current_snapshot())::text as transaction`.execute(db)
  return { transaction: rows[0]?.transaction as string, id: noId }
}

/**
 * Reads only transactions older than all in progress, so none is missed. Throws `validation_failed` after a restored
 * backup.
 */
async function readFeed(
  db: Kysely<WebhooksDb>,
  { webhookId, after, limit }: { webhookId: string; after: FeedPosition; limit: number },
): Promise<DeliveryRow[]> {
  const { rows } = await sql<DeliveryRow & { isAhead: boolean }>`
    select ${after.transaction}::xid8 > pg_snapshot_xmax(pg_current_snapshot()) as is_ahead, delivery.*
    from (select) as once left join lateral (
      select * from delivery where webhook_id = ${webhookId} and ${isBehind(sql`${after.transaction}`, sql`${after.id}`)}
      order by written_by, id limit ${limit}
    ) as delivery on true
    order by written_by, id`.execute(db)
  if (rows[0]?.isAhead)
    throw badCursor('Refers to a delivery that a restored backup does not contain. Start again without a cursor.')
  return rows.filter(({ id }) => id !== null)
}

/** Indexes of the readers with new deliveries or a deleted webhook, by one statement for all. */
export async function readersWithNews(
  db: Kysely<WebhooksDb>,
  readers: readonly { webhookId: string; after: FeedPosition }[],
): Promise<number[]> {
  const column = (read: (reader: (typeof readers)[number]) => string) => readers.map(read)
  const { rows } = await sql<{ place: number }>`
    select place::int from unnest(
      ${column(({ webhookId }) => webhookId)}::uuid[], ${column(({ after }) => after.transaction)}::text[],
      ${column(({ after }) => after.id)}::uuid[]
    ) with ordinality as reader (wanted_id, after_transaction, after_id, place)
    where exists (
      select from delivery where webhook_id = wanted_id and ${isBehind(sql`after_transaction`, sql`after_id`)}
    ) or not exists (select from webhook where webhook.id = wanted_id and deleted_at is null)`.execute(db)
  return rows.map(({ place }) => place - 1)
}

const isBehind = (transaction: ReturnType<typeof sql>, id: ReturnType<typeof sql>) => sql`
  (written_by, id) > (${transaction}::xid8, ${id}::uuid) and written_by < pg_snapshot_xmin(pg_current_snapshot())`

const badCursor = (message: string) => invalidInput('query', [{ path: 'cursor', message }])

export function readWebhookFeedRoute({ db, readers }: WebhooksDeps) {
  return serve(readWebhookFeed, async ({ params: { webhookId }, query, principal: { accountId }, request, signal }) => {
    const { limit, cursor, waitSeconds } = query
    await findWebhook(db, { webhookId, accountId })
    const cursors = await feedCursor(db, { accountId, webhookId })
    const after = cursors.decode(cursor) ?? (await newestPosition(db))
    let rows = await readFeed(db, { webhookId, after, limit })
    if (rows.length === 0 && waitSeconds > 0 && request.method !== 'HEAD') {
      await readers.wait({ accountId, webhookId, after }, waitSeconds * 1000, signal)
      rows = await readFeed(db, { webhookId, after, limit })
    }
    // Read last: it may have been deleted in the meantime.
    const webhook = await findWebhook(db, { webhookId, accountId })
    const deliveries = rows.map((row) => {
      const cursor = cursors.encode({ transaction: row.writtenBy, id: row.id })
      return { ...toDelivery(row, webhook), isTest: row.isTest, body: row.body, cursor }
    })
    return { deliveries, cursor: deliveries.at(-1)?.cursor ?? cursors.encode(after) }
  })
}
