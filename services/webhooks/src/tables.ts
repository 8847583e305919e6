import type { EventType } from '@tideport/contracts/webhook-payload'
import type { Generated, Selectable } from 'kysely'

/** Schema "webhooks" as Kysely sees it: camelCase here, snake_case in SQL. */
export interface WebhooksDb {
  webhook: WebhookTable
  delivery: DeliveryTable
  attempt: AttemptTable
}

interface WebhookTable {
  id: string
  accountId: string
  url: string
  events: EventType[]
  active: Generated<boolean>
  activeSince: Generated<Date>
  disabledReason: string | null
  consecutiveFailures: Generated<number>
  failingSince: Date | null
  secretEncrypted: string
  previousSecretEncrypted: string | null
  previousSecretUntil: Date | null
  slots: Generated<number>
  quickSuccesses: Generated<number>
  circuitOpenUntil: Date | null
  createdAt: Generated<Date>
  updatedAt: Generated<Date>
  deletedAt: Date | null
}

interface DeliveryTable {
  id: string
  webhookId: string
  eventId: string
  event: EventType
  body: string
  isTest: Generated<boolean>
  traceparent: string | null
  attempts: Generated<number>
  nextAttemptAt: Generated<Date | null>
  claimedUntil: Date | null
  claimedAt: Date | null
  success: Generated<boolean>
  statusCode: Generated<number>
  error: string | null
  durationMs: number | null
  createdAt: Generated<Date>
  doneAt: Date | null
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

export type WebhookRow = Selectable<WebhookTable>
export type DeliveryRow = Selectable<DeliveryTable>
export type AttemptRow = Selectable<AttemptTable>
