import type { Route } from '@tideport/service-kit/http/route'
import { routesOf } from '@tideport/service-kit/http/routes-of'
import { operatorRoutes } from './delivery/operator-routes.ts'
import { deliveryRoutes } from './delivery/routes.ts'
import type { WebhooksDeps } from './deps.ts'
import { webhookRoutes } from './webhooks/routes.ts'

export function routes(deps: WebhooksDeps): Route[] {
  return routesOf<'webhooks'>({ ...webhookRoutes(deps), ...deliveryRoutes(deps), ...operatorRoutes(deps) })
}
