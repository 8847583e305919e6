import type { Client } from '../client/create-client.ts'
import { backoffMs, pause } from '../client/pause.ts'
import { ApiError } from '../errors/api-error.ts'
import { ProtocolError } from '../errors/transfer-errors.ts'
import { readWebhookFeed } from '../generated/calls.ts'
import type { ReadWebhookFeedAnswer } from '../generated/shapes.ts'

/** `body` is the unparsed text; `cursor` is the position after this delivery. */
export type FollowedDelivery = ReadWebhookFeedAnswer['deliveries'][number]

export interface Heartbeat {
  /** Position to continue from; undefined before the first response. */
  cursor: string | undefined
  /** The error of this poll; null after a success. */
  failure: Error | null
}

export interface FollowOptions {
  /** Position of an earlier run; no delivery after it is missed. Default: only new deliveries. */
  cursor?: string | undefined
  /** Milliseconds that the service may be unavailable in a row. Default: 3,600,000. */
  patienceMs?: number | undefined
  /**
   * Called after each poll, at least every 30 seconds, even without deliveries. Its absence means that the loop is
   * blocked.
   */
  onHeartbeat?: ((heartbeat: Heartbeat) => void | Promise<void>) | undefined
  signal?: AbortSignal | undefined
}

const WAIT_SECONDS = 20
const ANSWER_MS = 30_000

/**
 * Yields deliveries in order and never returns, for programs that the service cannot reach. Store the `cursor` of each
 * processed delivery. Retries while the service is unavailable; after `patienceMs`, rejects with the last error.
 * Rejects immediately for errors that a retry cannot fix, and with the signal's reason.
 */
export async function* followWebhook(
  client: Client,
  webhook: string | { id: string },
  { cursor: from, patienceMs = 3_600_000, onHeartbeat, signal }: FollowOptions = {},
): AsyncGenerator<FollowedDelivery> {
  const webhookId = typeof webhook === 'string' ? webhook : webhook.id
  const asking = { ...client, attempts: 1 }
  let cursor = from
  let lastAnswer = Date.now()
  for (let failed = 0; ; ) {
    // The first request does not wait, because its response contains the current position.
    const input = { webhookId, cursor, waitSeconds: cursor === undefined ? 0 : WAIT_SECONDS }
    const answer = await readWebhookFeed(asking, input, { signal, timeoutMs: ANSWER_MS }).catch((error: Error) => error)
    signal?.throwIfAborted()
    if (answer instanceof Error) {
      if (!mayPass(answer) || Date.now() - lastAnswer > patienceMs) throw answer
      await onHeartbeat?.({ cursor, failure: answer })
      const wait = backoffMs(++failed, answer instanceof ApiError ? answer.retryAfterSeconds : null)
      await pause(Math.min(wait, client.maxWaitMs), signal)
      continue
    }
    for (const delivery of answer.deliveries) yield delivery
    // A feed that repeats its cursor would repeat its deliveries forever.
    if (answer.deliveries.length > 0 && answer.cursor === cursor) throw new ProtocolError('The feed repeats a cursor')
    failed = 0
    lastAnswer = Date.now()
    cursor = answer.cursor
    await onHeartbeat?.({ cursor, failure: null })
  }
}

const mayPass = (error: Error) =>
  error instanceof ApiError
    ? error.status >= 500 || error.status === 429 || error.status === 408
    : !(error instanceof ProtocolError || error instanceof TypeError)
