import { readWebhook } from '@tideport/contracts/public/webhooks'
import { serve } from '@tideport/service-kit/http/route'
import type { WebhooksDeps } from '../deps.ts'
import { findWebhook } from '../subscriptions/find-webhook.ts'
import { toWebhook } from '../views.ts'

export function readWebhookRoute({ db }: WebhooksDeps) {
  return serve(readWebhook, async ({ params: { webhookId }, principal: { accountId } }) =>
    toWebhook(await findWebhook(db, { webhookId, accountId })),
  )
}
