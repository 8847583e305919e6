import { type DeadDelivery, listDeadDeliveries } from '@tideport/contracts/public/operator-webhooks'
import { serve } from '@tideport/service-kit/http/route'
import { type Exhausted, exhaustedCursor, lookForExhausted } from '../delivery/exhausted-deliveries.ts'
import type { WebhooksDeps } from '../deps.ts'

/** Beside the request itself. */
const COST = 4

/** `GET /api/operator/webhooks/dead-letters`: one look of those that `operator dead-letters --deliveries` makes. */
export function listDeadDeliveriesRoute({ db }: Pick<WebhooksDeps, 'db'>) {
  return serve(listDeadDeliveries, async ({ query: { limit, cursor, olderThanSeconds }, charge }) => {
    charge(COST)
    const cursors = await exhaustedCursor(db, { list: 'dead deliveries', olderThanSeconds })
    const { rows, end } = await lookForExhausted(db, { olderThanSeconds, after: cursors.decode(cursor), limit })
    return { deadLetters: rows.map(toDeadDelivery), nextCursor: end && cursors.encode(end) }
  })
}

function toDeadDelivery({ isActive: active, doneAt, ...delivery }: Exhausted): DeadDelivery {
  const { id, webhookId, accountId, event, attempts, statusCode, error } = delivery
  return { id, webhookId, accountId, event, attempts, statusCode, error, since: doneAt.toISOString(), active }
}
