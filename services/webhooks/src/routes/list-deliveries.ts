import { listDeliveries } from '@tideport/contracts/public/webhooks'
import { listCursor, toPage } from '@tideport/service-kit/http/list-cursor'
import { serve } from '@tideport/service-kit/http/route'
import { walkDeliveries } from '../delivery/walk-deliveries.ts'
import type { WebhooksDeps } from '../deps.ts'
import { findWebhook } from '../subscriptions/find-webhook.ts'
import { position } from '../subscriptions/position.ts'
import { toDelivery } from '../views.ts'

/** What looking through deliveries without filling a page costs, in requests. */
const CUT_COST = 5

export function listDeliveriesRoute({ db }: WebhooksDeps) {
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
