import type { EventType } from '@tideport/contracts/public/webhook-payload'
import type { Generated, JSONColumnType, Selectable } from 'kysely'

export interface WebhooksDb {
  webhook: WebhookTable
  delivery: DeliveryTable
  attempt: AttemptTable
  previousSecret: PreviousSecretTable
  auditOutbox: {
    id: string
    at: Generated<Date>
    record: JSONColumnType<object>
    claimedUntil: Date | null
    failedAt: Date | null
  }
}

interface WebhookTable {
  id: string
  accountId: string
  url: string
  events: EventType[]
  active: Generated<boolean>
  activeSince: Generated<Date>
  /** Start time by event type, for types that were added after `activeSince`. */
  eventSince: Generated<EventSince>
  disabledReason: string | null
  activation: Generated<number>
  voidedAt: Date | null
  nextDueAt: Date | null
  heldUntil: Date | null
  isHeldByAccount: Generated<boolean>
  pausedUntil: Date | null
  consecutiveFailures: Generated<number>
  failingSince: Date | null
  secretEncrypted: string
  slots: Generated<number>
  quickSuccesses: Generated<number>
  consecutiveTimeouts: Generated<number>
  recentSince: Date | null
  recentAttempts: Generated<number>
  recentFailures: Generated<number>
  circuitOpenUntil: Date | null
  failedProbes: Generated<number>
  redeliveriesUntil: Date | null
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
  deletedAt: Date | null
}

/** ISO 8601 times by event type. */
export type EventSince = Partial<Record<EventType, string>>

interface DeliveryTable {
  id: string
  webhookId: string
  eventId: string
  event: EventType
  body: string
  isTest: Generated<boolean>
  traceparent: string | null
  activation: number
  attempts: Generated<number>
  nextAttemptAt: Generated<Date | null>
  claimedUntil: Date | null
  claimedAt: Date | null
  isRedelivery: Generated<boolean>
  resumeAt: Date | null
  redeliveries: Generated<number>
  success: Generated<boolean>
  statusCode: Generated<number>
  error: string | null
  durationMs: number | null
  createdAt: Generated<Date>
  doneAt: Date | null
  /** xid8 */
  writtenBy: Generated<string>
}

interface AttemptTable {
  deliveryId: string
  attempt: number
  state: 'sending' | 'succeeded' | 'failed' | 'unknown'
  startedAt: Generated<Date>
  statusCode: Generated<number>
  error: string | null
  durationMs: number | null
  responseBody: string | null
}

interface PreviousSecretTable {
  webhookId: string
  secretEncrypted: string
  validUntil: Date
}

export type WebhookRow = Selectable<WebhookTable>
export type DeliveryRow = Selectable<DeliveryTable>
export type AttemptRow = Selectable<AttemptTable>
