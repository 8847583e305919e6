import { listDeliveries } from '@tideport/contracts/http/webhooks'
import { type Route, type RouteInput, serve } from '@tideport/service-kit/route'
import { type Kysely, sql } from 'kysely'
import { decodeCursor, type Position, toPage } from '../cursor.ts'
import type { WebhooksDeps } from '../deps.ts'
import { findWebhook } from '../find-webhook.ts'
import type { WebhooksDb } from '../tables.ts'
import { toDelivery } from '../views.ts'

type Filters = Pick<RouteInput<typeof listDeliveries>['query'], 'success' | 'event' | 'limit'>

export function listDeliveriesRoute({ db }: WebhooksDeps): Route {
  return serve(listDeliveries, async ({ params: { webhookId }, query, principal: { accountId } }) => {
    const { limit, cursor, success, event } = query
    const webhook = await findWebhook(db, { webhookId, accountId })
    const list = `deliveries ${webhookId} ${success ?? 'any'} ${event ?? 'any'}`
    const before = cursor === undefined ? null : decodeCursor(list, cursor)
    const rows = await newestDeliveries(db, webhookId, { success, event, limit: limit + 1 }, before)
    const { page, nextCursor } = toPage(list, rows, limit)
    return { deliveries: page.map((row) => toDelivery(row, webhook)), nextCursor }
  })
}

async function newestDeliveries(
  db: Kysely<WebhooksDb>,
  webhookId: string,
  { success, event, limit }: Filters,
  before: Position | null,
) {
  let query = db
    .selectFrom('delivery')
    .selectAll()
    .where('webhookId', '=', webhookId)
    .orderBy('createdAt', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
  if (success !== undefined) query = query.where('success', '=', success)
  if (event !== undefined) query = query.where('event', '=', event)
  if (before !== null) query = query.where(sql<boolean>`(created_at, id) < (${before.createdAt}, ${before.id})`)
  return await query.execute()
}
