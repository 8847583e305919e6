import type { UrlRules } from '@tideport/service-kit/outgoing/url-fault'
import type { DeliverDeps } from './delivery/deliver.ts'
import type { EndedAttempt } from './delivery/ready-webhooks.ts'
import type { WaitingReaders } from './feed/waiting-readers.ts'

export interface WebhooksDeps extends DeliverDeps {
  readers: WaitingReaders
  urlRules: UrlRules
  timeoutSeconds: number
  /** How long the old secret continues to sign after a rotation. */
  secretOverlapSeconds: number
  /** Called when a delivery may have become due. */
  onDue: () => void
  /** Called after the end of an attempt that no delivery loop had claimed. */
  onEnded: (ended: EndedAttempt) => void
}
