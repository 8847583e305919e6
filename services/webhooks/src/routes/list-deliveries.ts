import { listDeliveries } from '@tideport/contracts/public/webhooks'
import { serve } from '@tideport/service-kit/http/route'
import { walkDeliveries } from '../delivery/walk-deliveries.ts'
import type { WebhooksDeps } from '../deps.ts'
import { decodeCursor, toPage } from '../subscriptions/cursor.ts'
import { findWebhook } from '../subscriptions/find-webhook.ts'
import { toDelivery } from '../views.ts'

/** What looking through deliveries without filling a page costs, in requests. */
const CUT_COST = 5

export function listDeliveriesRoute({ db }: WebhooksDeps) {
  return serve(listDeliveries, async ({ params: { webhookId }, query, principal: { accountId }, charge }) => {
    const { limit, cursor, success, event } = query
    const webhook = await findWebhook(db, { webhookId, accountId })
    const list = `deliveries ${webhookId} ${success ?? 'any'} ${event ?? 'any'}`
    const before = cursor === undefined ? null : decodeCursor(list, cursor)
    const { rows, end } = await walkDeliveries(db, { webhookId, success, event, before, limit: limit + 1 })
    if (end !== null && rows.length < limit) charge(CUT_COST)
    const { page, nextCursor } = toPage(list, rows, limit, end)
    return { deliveries: page.map((row) => toDelivery(row, webhook)), nextCursor }
  })
}
