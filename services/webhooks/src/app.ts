import type { Route } from '@tideport/service-kit/http/route'
import type { WebhooksDeps } from './deps.ts'
import { createWebhookRoute } from './routes/create-webhook.ts'
import { deleteWebhookRoute } from './routes/delete-webhook.ts'
import { listDeliveriesRoute } from './routes/list-deliveries.ts'
import { listWebhooksRoute } from './routes/list-webhooks.ts'
import { readDeliveryRoute } from './routes/read-delivery.ts'
import { readWebhookRoute } from './routes/read-webhook.ts'
import { redeliverRoute } from './routes/redeliver.ts'
import { rotateSecretRoute } from './routes/rotate-secret.ts'
import { testWebhookRoute } from './routes/test-webhook.ts'
import { updateWebhookRoute } from './routes/update-webhook.ts'

/** Everything that this service answers. */
export function routes(deps: WebhooksDeps): Route[] {
  return [
    createWebhookRoute(deps),
    listWebhooksRoute(deps),
    readWebhookRoute(deps),
    updateWebhookRoute(deps),
    deleteWebhookRoute(deps),
    testWebhookRoute(deps),
    listDeliveriesRoute(deps),
    readDeliveryRoute(deps),
    redeliverRoute(deps),
    rotateSecretRoute(deps),
  ]
}
