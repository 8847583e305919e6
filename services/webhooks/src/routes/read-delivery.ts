import { readDelivery } from '@tideport/contracts/public/webhooks'
import { serve } from '@tideport/service-kit/http/route'
import type { Kysely } from 'kysely'
import { findDelivery } from '../delivery/find-delivery.ts'
import type { WebhooksDeps } from '../deps.ts'
import { findWebhook } from '../subscriptions/find-webhook.ts'
import type { AttemptRow, WebhooksDb } from '../tables.ts'
import { toAttempt, toDelivery } from '../views.ts'

export function readDeliveryRoute({ db }: WebhooksDeps) {
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
