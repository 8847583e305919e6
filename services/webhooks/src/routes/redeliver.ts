import { redeliver } from '@tideport/contracts/public/webhooks'
import { serve } from '@tideport/service-kit/http/route'
import { requestRedelivery } from '../delivery/request-redelivery.ts'
import type { WebhooksDeps } from '../deps.ts'
import { toDelivery } from '../views.ts'

export function redeliverRoute({ db, onDue }: WebhooksDeps) {
  return serve(redeliver, async ({ params: { webhookId, deliveryId }, principal: { accountId } }) => {
    const { delivery, webhook } = await requestRedelivery(db, { webhookId, accountId, deliveryId })
    onDue()
    return toDelivery(delivery, webhook)
  })
}
