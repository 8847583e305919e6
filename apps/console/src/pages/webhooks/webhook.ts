import type { Webhook, WebhookDelivery } from '@tideport/sdk'
import { dateTime, number } from '../../text/format.ts'
import { text } from '../../text/text.ts'
import type { BadgeText } from '../../ui/row.tsx'

export const webhooksKey = ['webhooks'] as const

export type EventType = Webhook['events'][number]

/** All events of docs/reference/http/webhooks.md; a missing one does not compile. */
export const eventTypes = Object.keys({
  'file.hot': true,
  'file.synced': true,
  'file.cold': true,
  'file.error': true,
  'file.deleted': true,
  'file.restored': true,
  'file.purged': true,
  'file.copied': true,
  'file.copy_lost': true,
  'file.lease_expiring': true,
  'vault.created': true,
  'vault.deleted': true,
  'vault.restored': true,
} satisfies Record<EventType, true>) as EventType[]

export const isPending = ({ success, nextAttemptAt }: Pick<WebhookDelivery, 'success' | 'nextAttemptAt'>): boolean =>
  !success && nextAttemptAt !== null

export function outcomeOf(
  tried: Pick<WebhookDelivery, 'success' | 'statusCode' | 'error'> & { nextAttemptAt?: string | null },
) {
  const t = text.value.webhooks
  const { success, statusCode, error, nextAttemptAt = null } = tried
  if (success) return { label: t.answered(statusCode), look: 'badge-good' }
  const isTried = error !== null || statusCode !== 0
  if (isPending({ success, nextAttemptAt }) && !isTried) return { label: t.waiting, look: '' }
  const reason = error === null ? t.noAnswer : t.notDelivered(error)
  return { label: statusCode === 0 ? reason : t.answered(statusCode), look: 'badge-bad' }
}

export function describeWebhook(webhook: Webhook) {
  const { app, webhooks: t } = text.value
  const { active, events, disabledReason, consecutiveFailures, createdAt, updatedAt } = webhook
  const state = active ? ['badge-good', t.on] : ['badge-bad', t.off]
  const badges = [state, ...events] as BadgeText[]
  const facts = [
    [t.offBecause, disabledReason],
    [t.failures, consecutiveFailures === 0 ? null : number(consecutiveFailures)],
    [app.created, dateTime(createdAt)],
    [t.changed, updatedAt === createdAt ? null : dateTime(updatedAt)],
  ] as const
  return { badges, facts }
}
