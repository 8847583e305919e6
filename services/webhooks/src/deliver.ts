import { setTimeout as delay } from 'node:timers/promises'
import { isUnavailable } from '@tideport/service-kit/database-errors'
import { failpoint } from '@tideport/service-kit/failpoint'
import type { Log } from '@tideport/service-kit/logger'
import type { Kysely } from 'kysely'
import type { ClaimedDelivery } from './claim-deliveries.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'
import { disableWebhook } from './disable-webhook.ts'
import type { Answer, Outgoing, OutgoingRequest } from './outgoing.ts'
import { recordOutcome } from './record-outcome.ts'
import { retryDelaySeconds } from './retry-schedule.ts'
import { type SecretBox, secretOwner } from './secret-box.ts'
import { signatureHeaders } from './signature.ts'
import type { WebhooksDb } from './tables.ts'

const USER_AGENT = 'Tideport-Webhooks/0.1.0'
const RECORD_AGAIN_MS = 250
const RECORD_TRIES = 40
const GONE = 410

export interface DeliverDeps {
  db: Kysely<WebhooksDb>
  outgoing: Outgoing
  secretBox: SecretBox
  retryScale: number
  metrics: DeliveryMetrics
  log: Log
}

/**
 * One attempt of one claimed delivery: prepare, post, record. Throws when `signal` aborts or the outcome could not be
 * recorded; then the delivery is sent again after its lease, under the same `webhook-id`.
 */
export async function deliver(deps: DeliverDeps, delivery: ClaimedDelivery, signal?: AbortSignal): Promise<void> {
  await failpoint('deliver.before-send')
  const request = prepare(deps, delivery)
  const answer = request === null ? unreadableSecret : await deps.outgoing.post(request, signal)
  await failpoint('deliver.after-send')

  const retryDelay = retryDelaySeconds(delivery.attempts, { scale: deps.retryScale, random: Math.random })
  await recordPatiently(deps, delivery, answer, retryDelay)
  const isGone = answer.statusCode === GONE && !delivery.isTest
  if (isGone) await disableWebhook(deps.db, delivery.webhookId, 'The receiver answered 410 Gone')
  report(deps, delivery, answer, isGone || retryDelay === null)
}

/** Null when the secret cannot be decrypted, such as after its key was taken out of the configuration. */
function prepare({ secretBox, log }: DeliverDeps, delivery: ClaimedDelivery): OutgoingRequest | null {
  try {
    const secret = secretBox.open(delivery.secretEncrypted, secretOwner(delivery))
    const timestampSeconds = Math.floor(Date.now() / 1000)
    const headers = {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      ...signatureHeaders(secret, { messageId: delivery.eventId, timestampSeconds, body: delivery.body }),
      'x-service-delivery-id': delivery.id,
      ...(delivery.isTest ? { 'x-service-test': 'true' } : {}),
    }
    return { url: delivery.url, headers, body: delivery.body }
  } catch (error) {
    log.error({ err: error, webhookId: delivery.webhookId }, 'signing secret cannot be read')
    return null
  }
}

const unreadableSecret: Answer = {
  statusCode: 0,
  error: 'The signing secret cannot be read at the moment',
  durationMs: 0,
  responseBody: null,
}

/** A database that restarts must not make a delivery that arrived be sent twice. */
async function recordPatiently(
  { db }: DeliverDeps,
  delivery: ClaimedDelivery,
  answer: Answer,
  retryDelay: number | null,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await recordOutcome(db, delivery, answer, retryDelay)
    } catch (error) {
      if (!isUnavailable(error) || attempt === RECORD_TRIES) throw error
      await delay(RECORD_AGAIN_MS)
    }
  }
}

function report({ log, metrics }: DeliverDeps, delivery: ClaimedDelivery, answer: Answer, isLast: boolean): void {
  const outcome = answer.error === null ? 'succeeded' : isLast ? 'given_up' : 'failed'
  metrics.observeAttempt(delivery.isTest ? 'test' : outcome, answer.durationMs / 1000)
  log.info(
    {
      webhookId: delivery.webhookId,
      deliveryId: delivery.id,
      eventId: delivery.eventId,
      event: delivery.event,
      attempt: delivery.attempts,
      isTest: delivery.isTest,
      outcome,
      statusCode: answer.statusCode,
      error: answer.error,
      durationMs: answer.durationMs,
      traceparent: delivery.traceparent,
    },
    'webhook attempt ended',
  )
}
