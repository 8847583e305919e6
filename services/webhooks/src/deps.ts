import type { DeliverDeps } from './deliver.ts'
import type { UrlRules } from './webhook-url.ts'

/** What the routes work with. */
export interface WebhooksDeps extends DeliverDeps {
  urlRules: UrlRules
  timeoutSeconds: number
  /** How long a secret still signs after a rotation. */
  secretOverlapSeconds: number
  /** Called after something became due. */
  onDue: () => void
}
