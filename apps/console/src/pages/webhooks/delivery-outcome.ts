import type { WebhookDelivery } from '@tideport/sdk'
import { sayRefusal } from '../../text/say-refusal.ts'
import { text } from '../../text/text.ts'
import { isPending } from './delivery-queries.ts'

type Tried = Pick<WebhookDelivery, 'success' | 'statusCode' | 'error'>

/** What came of a delivery, or of one attempt, in a few words. */
export function outcomeOf(tried: Tried & { nextAttemptAt?: string | null }): { label: string; isGood: boolean | null } {
  const t = text.value.webhooks
  const { success, statusCode, error, nextAttemptAt = null } = tried
  if (success) return { label: t.answered(statusCode), isGood: true }
  const isTried = error !== null || statusCode !== 0
  if (isPending({ success, nextAttemptAt }) && !isTried) return { label: t.waiting, isGood: null }
  return {
    label: statusCode === 0 ? (error === null ? t.noAnswer : sayRefusal(error)) : t.answered(statusCode),
    isGood: false,
  }
}
