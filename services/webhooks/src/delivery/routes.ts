import { listDeliveries, readDelivery, redeliver } from '@tideport/contracts/public/webhooks'
import { listCursor, toPage } from '@tideport/service-kit/http/list-cursor'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import type { Kysely } from 'kysely'
import type { WebhooksDeps } from '../deps.ts'
import { readWebhookFeedRoute } from '../feed/read-webhook-feed.ts'
import { findWebhook } from '../subscriptions/find-webhook.ts'
import { position } from '../subscriptions/position.ts'
import type { AttemptRow, WebhooksDb } from '../tables.ts'
import { toAttempt, toDelivery } from '../views.ts'
import { findDelivery } from './find-delivery.ts'
import { requestRedelivery } from './request-redelivery.ts'
import { walkDeliveries } from './walk-deliveries.ts'

export function deliveryRoutes(deps: WebhooksDeps) {
  return {
    listDeliveries: listDeliveriesRoute(deps),
    readDelivery: readDeliveryRoute(deps),
    readWebhookFeed: readWebhookFeedRoute(deps),
    redeliver: redeliverRoute(deps),
  } satisfies Partial<RoutesOf<'webhooks'>>
}

/** What looking through deliveries without filling a page costs, in requests. */
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
