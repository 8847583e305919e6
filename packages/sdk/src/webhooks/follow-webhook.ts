import type { Client } from '../client/create-client.ts'
import { backoffMs, pause } from '../client/pause.ts'
import { ApiError } from '../errors/api-error.ts'
import { ProtocolError } from '../errors/transfer-errors.ts'
import { readWebhookFeed } from '../generated/calls.ts'
import type { ReadWebhookFeedAnswer } from '../generated/shapes.ts'

/** A delivery as it is told to those who follow a webhook. `body` is its text, `cursor` where to go on after it. */
export type FollowedDelivery = ReadWebhookFeedAnswer['deliveries'][number]

export interface Heartbeat {
  /** Where to go on; undefined before the first answer. */
  cursor: string | undefined
  /** Why the service did not answer this time; null when it did. */
  failure: Error | null
}

export interface FollowOptions {
  /** Where an earlier run was: nothing that was sent since is left out. From now on unless given. */
  cursor?: string | undefined
  /** How long the service may be away, in a row; 3,600,000 unless given. */
  patienceMs?: number | undefined
  /** Told after each question, so at least every half a minute, whether or not there was anything: who hears nothing knows that it hangs. */
  onHeartbeat?: ((heartbeat: Heartbeat) => void | Promise<void>) | undefined
  signal?: AbortSignal | undefined
}

const WAIT_SECONDS = 20
const ANSWER_MS = 30_000

/**
 * A webhook's deliveries as they come, in their order, for programs that cannot be reached; it does not end by itself. Keep
 * the `cursor` of what you have dealt with. The service is asked again while it is away. Rejects with a `NetworkError` or
 * what the service said once it is away for longer than `patienceMs`, at once for what waiting does not mend, and with
 * the signal's reason.
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
    // The first answer says where "now" is: it must not wait.
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
    // A feed that gives without going on would give the same for ever.
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
