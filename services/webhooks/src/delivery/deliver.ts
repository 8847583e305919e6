import { setTimeout as delay } from 'node:timers/promises'
import { currentWaitBudget } from '@tideport/service-kit/context/request-context'
import { isUnavailable } from '@tideport/service-kit/postgres/database-errors'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import type { SecretBox } from '@tideport/service-kit/secrets/secret-box'
import { noteStatus } from '@tideport/service-kit/telemetry/http-span'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { failSpan, inSpan } from '@tideport/service-kit/telemetry/span'
import type { Kysely } from 'kysely'
import manifest from '../../package.json' with { type: 'json' }
import type { Answer, Outgoing, OutgoingRequest } from '../outgoing/outgoing.ts'
import { signatureHeaders } from '../secrets/signature.ts'
import { secretOwner } from '../secrets/webhook-secret.ts'
import { disableWebhook } from '../subscriptions/disable-webhook.ts'
import { pauseSeconds } from '../subscriptions/limits.ts'
import type { WebhooksDb } from '../tables.ts'
import type { ClaimedDelivery } from './claim-deliveries.ts'
import type { DeliveryMetrics } from './delivery-metrics.ts'
import { type Recorded, recordOutcome, withdrawClaim } from './record-outcome.ts'

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
 * Throws when `signal` aborts or the outcome is not recorded. The delivery is then sent again with the same
 * `webhook-id`.
 */
export async function deliver(deps: DeliverDeps, delivery: ClaimedDelivery, signal?: AbortSignal): Promise<void> {
  await failpoint('deliver.before-send')
  const request = prepare(deps, delivery)
  const answer = request === null ? unreadableSecret : await post(deps, delivery, { request, signal })
  await failpoint('deliver.after-send')
  if (answer.failure === 'not_sent' && !delivery.isTest) return await handBack(deps, delivery)

  const recorded = await recordWithRetries(deps, delivery, answer)
  const reason = disableReason(delivery, answer, recorded)
  if (reason !== null) await disableWebhook(deps.db, delivery.webhookId, reason)
  report(deps, delivery, answer, recorded.isOver || reason !== null)
}

/** Sends no trace headers to the receiver. */
function post({ outgoing }: DeliverDeps, { webhookId, attempts }: ClaimedDelivery, sent: Sent): Promise<Answer> {
  const attributes = {
    'http.request.method': 'POST',
    'tideport.webhook_id': webhookId,
    'tideport.webhook_attempt': attempts,
  }
  return inSpan({ name: 'POST webhook', kind: 'client', attributes }, async (span) => {
    const answer = await outgoing.post(sent.request, sent.signal)
    if (span && answer.statusCode > 0) noteStatus(span, answer.statusCode)
    if (span && answer.failure !== null) failSpan(span, { code: answer.statusCode || answer.failure })
    return answer
  })
}

interface Sent {
  request: OutgoingRequest
  signal: AbortSignal | undefined
}

/** Does not count as an attempt: nothing was sent, and the receiver did not cause the failure. */
async function handBack({ db, log }: DeliverDeps, delivery: ClaimedDelivery): Promise<void> {
  await withdrawClaim(db, delivery, pauseSeconds * (0.5 + Math.random()))
  const { webhookId, id: deliveryId } = delivery
  log.info({ webhookId, deliveryId }, 'webhook attempt postponed: the host name could not be looked up')
}

function prepare({ secretBox, log }: DeliverDeps, delivery: ClaimedDelivery): OutgoingRequest | null {
  try {
    return prepareRequest(secretBox, delivery)
  } catch (error) {
    log.error({ err: error, webhookId: delivery.webhookId }, 'signing secret cannot be decrypted')
    return null
  }
}

const unreadableSecret: Answer = {
  statusCode: 0,
  error: 'The signing secret cannot be decrypted at the moment',
  failure: 'other',
  durationMs: 0,
  retryAfter: null,
  responseBody: null,
}

/** A database restart must not cause a second delivery. In a request, retries stay within its wait budget. */
async function recordWithRetries(
  { db, retryScale }: DeliverDeps,
  delivery: ClaimedDelivery,
  answer: Answer,
): Promise<Recorded> {
  const waitBudget = currentWaitBudget()
  const pause = () => delay(RECORD_AGAIN_MS)
  for (let attempt = 1; ; attempt++) {
    try {
      return await recordOutcome(db, delivery, answer, retryScale)
    } catch (error) {
      if (!isUnavailable(error) || attempt === RECORD_TRIES || waitBudget?.leftMs === 0) throw error
      await (waitBudget === undefined ? pause() : waitBudget.spend(pause))
    }
  }
}

/** Null unless the webhook must be disabled. */
function disableReason({ isTest }: ClaimedDelivery, { statusCode }: Answer, { isBeyondHope }: Recorded): string | null {
  if (statusCode === GONE && !isTest) return 'The receiver returned 410 Gone'
  return isBeyondHope ? 'Every delivery failed for more than five days' : null
}

/** Age by the timestamp in the body, which comes from Postgres. Undefined without a timestamp. */
function ageSeconds({ body }: ClaimedDelivery): number | undefined {
  const happenedAt = Date.parse(/"timestamp": ?"([^"]+)"/.exec(body)?.[1] ?? '')
  return Number.isNaN(happenedAt) ? undefined : (Date.now() - happenedAt) / 1000
}

function report({ log, metrics }: DeliverDeps, delivery: ClaimedDelivery, answer: Answer, isLast: boolean): void {
  const { webhookId, id: deliveryId, eventId, event, attempts: attempt, isTest, isRedelivery } = delivery
  const { statusCode, failure, error, durationMs } = answer
  const outcome = error === null ? 'succeeded' : isLast ? 'given_up' : 'failed'
  const firstAfterSeconds = attempt === 1 && !isTest && !delivery.isReceiverFailing ? ageSeconds(delivery) : undefined
  const shown = isTest ? 'test' : outcome
  metrics.observeAttempt({ event, outcome: shown, statusCode, seconds: durationMs / 1000, firstAfterSeconds })
  const attempted = { webhookId, deliveryId, eventId, event, attempt, isTest, isRedelivery }
  log.info({ ...attempted, outcome, statusCode, failure, error, durationMs }, 'webhook attempt finished')
}

const USER_AGENT = `Tideport-Webhooks/${manifest.version}`

/** The request of one attempt, signed with the current time. Throws if the key of a secret is not configured. */
function prepareRequest(secretBox: SecretBox, delivery: ClaimedDelivery): OutgoingRequest {
  const owner = secretOwner(delivery)
  const secrets = {
    current: secretBox.open(delivery.secretEncrypted, owner),
    previous: delivery.previousSecretsEncrypted.map((sealed) => secretBox.open(sealed, owner)),
  }
  const timestampSeconds = Math.floor(Date.now() / 1000)
  const headers = {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    ...signatureHeaders(secrets, { messageId: delivery.eventId, timestampSeconds, body: delivery.body }),
    'x-service-delivery-id': delivery.id,
    ...(delivery.isTest ? { 'x-service-test': 'true' } : {}),
  }
  return { accountId: delivery.accountId, url: delivery.url, headers, body: delivery.body }
}
