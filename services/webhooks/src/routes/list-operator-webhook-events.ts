import { listOperatorWebhookEvents } from '@tideport/contracts/public/operator-webhooks'
import { readOperations } from '@tideport/service-kit/http/operator-log'
import { serve } from '@tideport/service-kit/http/route'
import type { WebhooksDeps } from '../deps.ts'

/** `GET /api/operator/webhooks/events`, newest first. */
export function listOperatorWebhookEventsRoute({ db }: Pick<WebhooksDeps, 'db'>) {
  return serve(listOperatorWebhookEvents, ({ query }) => readOperations(db, query))
}
