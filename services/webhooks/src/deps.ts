import type { UrlRules } from '@tideport/service-kit/outgoing/url-fault'
import type { DeliverDeps } from './delivery/deliver.ts'
import type { EndedAttempt } from './delivery/ready-webhooks.ts'
import type { WaitingReaders } from './feed/waiting-readers.ts'

export interface WebhooksDeps extends DeliverDeps {
  readers: WaitingReaders
  urlRules: UrlRules
  timeoutSeconds: number
  /** How long a secret still signs after a rotation. */
  secretOverlapSeconds: number
  /** Called after something became due. */
  onDue: () => void
  /** Called after an attempt ended that no delivery loop had claimed. */
  onEnded: (ended: EndedAttempt) => void
}
