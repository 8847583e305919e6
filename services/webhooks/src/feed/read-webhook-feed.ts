import { readWebhookFeed } from '@tideport/contracts/public/webhooks'
import { serve } from '@tideport/service-kit/http/route'
import type { WebhooksDeps } from '../deps.ts'
import { findWebhook } from '../subscriptions/find-webhook.ts'
import { toDelivery } from '../views.ts'
import { feedCursor, newestPosition, readFeed } from './read-feed.ts'

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
    // Read last: it may have been deleted meanwhile.
    const webhook = await findWebhook(db, { webhookId, accountId })
    const deliveries = rows.map((row) => {
      const cursor = cursors.encode({ transaction: row.writtenBy, id: row.id })
      return { ...toDelivery(row, webhook), isTest: row.isTest, body: row.body, cursor }
    })
    return { deliveries, cursor: deliveries.at(-1)?.cursor ?? cursors.encode(after) }
  })
}
