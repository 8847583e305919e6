import { readWebhook } from '@tideport/contracts/public/webhooks'
import { serve } from '@tideport/service-kit/http/route'
import type { RoutesOf } from '@tideport/service-kit/http/routes-of'
import type { WebhooksDeps } from '../deps.ts'
import { findWebhook } from '../subscriptions/find-webhook.ts'
import { toWebhook } from '../views.ts'
import { createWebhookRoute } from './create-webhook.ts'
import { deleteWebhookRoute } from './delete-webhook.ts'
import { listWebhooksRoute } from './list-webhooks.ts'
import { rotateSecretRoute } from './rotate-secret.ts'
import { testWebhookRoute } from './test-webhook.ts'
import { updateWebhookRoute } from './update-webhook.ts'

export function webhookRoutes(deps: WebhooksDeps) {
  return {
    createWebhook: createWebhookRoute(deps),
    listWebhooks: listWebhooksRoute(deps),
    readWebhook: serve(readWebhook, async ({ params: { webhookId }, principal: { accountId } }) =>
      toWebhook(await findWebhook(deps.db, { webhookId, accountId })),
    ),
    updateWebhook: updateWebhookRoute(deps),
    deleteWebhook: deleteWebhookRoute(deps),
    testWebhook: testWebhookRoute(deps),
    rotateWebhookSecret: rotateSecretRoute(deps),
  } satisfies Partial<RoutesOf<'webhooks'>>
}
