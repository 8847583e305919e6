import type { EventType } from '@tideport/contracts/public/webhook-payload'
import { listDeliveries, readDelivery, redeliver } from '@tideport/contracts/public/webhooks'
import { listCursor, toPage } from '@tideport/service-kit/http/list-cursor'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import { type Kysely, sql } from 'kysely'
import type { WebhooksDeps } from '../deps.ts'
import { readWebhookFeedRoute } from '../feed/read-feed.ts'
import { findWebhook } from '../subscriptions/find-webhook.ts'
import { type Position, position } from '../subscriptions/position.ts'
import type { AttemptRow, DeliveryRow, WebhooksDb } from '../tables.ts'
import { toAttempt, toDelivery } from '../views.ts'
import { findDelivery, requestRedelivery } from './request-redelivery.ts'

export function deliveryRoutes(deps: WebhooksDeps) {
  return {
    listDeliveries: listDeliveriesRoute(deps),
    readDelivery: readDeliveryRoute(deps),
    readWebhookFeed: readWebhookFeedRoute(deps),
    redeliver: redeliverRoute(deps),
  } satisfies Partial<RoutesOf<'webhooks'>>
}

/** The cost, in requests, of a walk that does not fill its page. */
const CUT_COST = 5

function listDeliveriesRoute({ db }: WebhooksDeps) {
  return serve(listDeliveries, async ({ params: { webhookId }, query, principal: { accountId }, charge }) => {
    const { limit, cursor, success, event } = query
    const webhook = await findWebhook(db, { webhookId, accountId })
    const list = { reader: accountId, list: 'deliveries', webhookId, success, event }
    const cursors = await listCursor(db, list, position)
    const before = cursors.decode(cursor)
    const { rows, end } = await walkDeliveries(db, { webhookId, success, event, before, limit: limit + 1 })
    if (end !== null && rows.length < limit) charge(CUT_COST)
    const { page, nextCursor } = toPage(cursors, rows, limit, end)
    return { deliveries: page.map((row) => toDelivery(row, webhook)), nextCursor }
  })
}

function readDeliveryRoute({ db }: WebhooksDeps) {
  return serve(readDelivery, async ({ params: { webhookId, deliveryId }, principal: { accountId } }) => {
    const webhook = await findWebhook(db, { webhookId, accountId })
    const delivery = await findDelivery(db, { webhookId, accountId, deliveryId })
    const attempts = await attemptsOf(db, deliveryId)
    return { ...toDelivery(delivery, webhook), body: delivery.body, attemptLog: attempts.map(toAttempt) }
  })
}

async function attemptsOf(db: Kysely<WebhooksDb>, deliveryId: string): Promise<AttemptRow[]> {
  return await db.selectFrom('attempt').selectAll().where('deliveryId', '=', deliveryId).orderBy('attempt').execute()
}

function redeliverRoute({ db, onDue }: WebhooksDeps) {
  return serve(redeliver, async ({ params: { webhookId, deliveryId }, principal: { accountId } }) => {
    const { delivery, webhook } = await requestRedelivery(db, { webhookId, accountId, deliveryId })
    onDue()
    return toDelivery(delivery, webhook)
  })
}

/** How many deliveries are read for one page at most (ADR 0007). */
export const ROWS_MAX = 2000

interface DeliveryWalk {
  webhookId: string
  success?: boolean | undefined
  event?: EventType | undefined
  before: Position | null
  limit: number
}

/** Newest first, up to `limit`. After `ROWS_MAX` rows, `end` is the last delivery that was read. */
async function walkDeliveries(
  db: Kysely<WebhooksDb>,
  { webhookId, success, event, before, limit }: DeliveryWalk,
): Promise<{ rows: DeliveryRow[]; end: Position | null }> {
  const isBefore = before === null ? sql`true` : sql`(created_at, id) < (${before.createdAt}, ${before.id})`
  const conditions = [
    ...(success === undefined ? [] : [sql`success = ${success}`]),
    ...(event === undefined ? [] : [sql`event = ${event}`]),
  ]
  const isWanted = conditions.length === 0 ? sql`true` : sql.join(conditions, sql` and `)
  const { rows } = await sql<DeliveryRow & { isWanted: boolean; isEnd: boolean }>`
    select * from (
      select *, (${isWanted}) as is_wanted,
        row_number() over (order by created_at desc, id desc) = ${sql.lit(ROWS_MAX)} as is_end
      from (
        select * from delivery where webhook_id = ${webhookId} and ${isBefore}
        order by created_at desc, id desc limit ${sql.lit(ROWS_MAX)}) as delivery) as delivery
    where is_wanted or is_end order by created_at desc, id desc limit ${limit}`.execute(db)
  return { rows: rows.filter((row) => row.isWanted), end: rows.find((row) => row.isEnd) ?? null }
}
