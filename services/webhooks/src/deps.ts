import type { DeliverDeps } from './deliver.ts'
import type { UrlRules } from './webhook-url.ts'

/** What the routes work with. */
export interface WebhooksDeps extends DeliverDeps {
  urlRules: UrlRules
  timeoutSeconds: number
}
