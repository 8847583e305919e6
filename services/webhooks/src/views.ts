import type { attempt, delivery, webhook } from '@tideport/contracts/public/webhooks'
import type { z } from 'zod'
import { isVoid, skippedError } from './subscriptions/void-pending.ts'
import type { AttemptRow, DeliveryRow, WebhookRow } from './tables.ts'

/** The webhook as its owner sees it, without its secret. */
export function toWebhook(row: WebhookRow): z.input<typeof webhook> {
  return {
    id: row.id,
    url: row.url,
    events: row.events,
    active: row.active,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
    disabledReason: row.disabledReason,
    consecutiveFailures: row.consecutiveFailures,
  }
}

/** Shows deliveries that were pending when their webhook was disabled as skipped immediately. */
export function toDelivery(
  row: Omit<DeliveryRow, 'body'>,
  webhook: Pick<WebhookRow, 'activation'>,
): z.input<typeof delivery> {
  const isSkipped = isVoid(row, webhook)
  return {
    id: row.id,
    webhookId: row.webhookId,
    event: row.event,
    eventId: row.eventId,
    attempts: row.attempts,
    statusCode: row.statusCode,
    success: row.success,
    error: row.error ?? (isSkipped ? skippedError : null),
    durationMs: row.durationMs,
    createdAt: row.createdAt.toISOString(),
    nextAttemptAt: isSkipped ? null : (row.nextAttemptAt?.toISOString() ?? null),
  }
}

export function toAttempt(row: AttemptRow): z.input<typeof attempt> {
  return {
    attempt: row.attempt,
    at: row.startedAt.toISOString(),
    statusCode: row.statusCode,
    success: row.state === 'succeeded',
    error: row.error,
    durationMs: row.durationMs,
    responseBody: row.responseBody,
  }
}
