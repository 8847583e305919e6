import type { Route } from '@tideport/service-kit/http/route'
import { routesOf } from '@tideport/service-kit/http/routes-of'
import type { WebhooksDeps } from './deps.ts'
import { createWebhookRoute } from './routes/create-webhook.ts'
import { deleteWebhookRoute } from './routes/delete-webhook.ts'
import { listDeadDeliveriesRoute } from './routes/list-dead-deliveries.ts'
import { listDeliveriesRoute } from './routes/list-deliveries.ts'
import { listOperatorWebhookEventsRoute } from './routes/list-operator-webhook-events.ts'
import { listWebhooksRoute } from './routes/list-webhooks.ts'
import { readDeliveryRoute } from './routes/read-delivery.ts'
import { readWebhookRoute } from './routes/read-webhook.ts'
import { readWebhookFeedRoute } from './routes/read-webhook-feed.ts'
import { redeliverRoute } from './routes/redeliver.ts'
import { redriveDeliveriesRoute } from './routes/redrive-deliveries.ts'
import { rotateSecretRoute } from './routes/rotate-secret.ts'
import { testWebhookRoute } from './routes/test-webhook.ts'
import { updateWebhookRoute } from './routes/update-webhook.ts'

/** Everything that this service answers. */
export function routes(deps: WebhooksDeps): Route[] {
  return routesOf<'webhooks'>({
    createWebhook: createWebhookRoute(deps),
    listWebhooks: listWebhooksRoute(deps),
    readWebhook: readWebhookRoute(deps),
    updateWebhook: updateWebhookRoute(deps),
    deleteWebhook: deleteWebhookRoute(deps),
    testWebhook: testWebhookRoute(deps),
    listDeliveries: listDeliveriesRoute(deps),
    readDelivery: readDeliveryRoute(deps),
    readWebhookFeed: readWebhookFeedRoute(deps),
    redeliver: redeliverRoute(deps),
    rotateWebhookSecret: rotateSecretRoute(deps),
    listDeadDeliveries: listDeadDeliveriesRoute(deps),
    redriveDeliveries: redriveDeliveriesRoute(deps),
    listOperatorWebhookEvents: listOperatorWebhookEventsRoute(deps),
  })
}
