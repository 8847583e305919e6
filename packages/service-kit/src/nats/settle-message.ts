import type { JsMsg } from '@nats-io/jetstream'
import type { Span } from '@opentelemetry/api'
import type { Message } from '@tideport/contracts/internal/message'
import type { ConsumerDefinition } from '@tideport/contracts/internal/streams'
import type { z } from 'zod'
import { inContext } from '../context/request-context.ts'
import type { Log } from '../telemetry/logger.ts'
import type { SettledMessage, Settlement } from '../telemetry/message-metrics.ts'
import { beginProcessing, settleSpan } from '../telemetry/messaging-span.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import { failSpan, inSpan } from '../telemetry/span.ts'

const WORKING_MS = 20_000
const RETRY_BASE_MS = 250
const RETRY_MAX_MS = 5000

export interface MessageContext {
  /** Aborts when the process stops: finish, or throw to hand the message back. */
  signal: AbortSignal
  subject: string
}

export interface SettleOptions<S extends z.ZodType> {
  consumer: ConsumerDefinition
  message: Message<S>
  handle: (data: z.output<S>, context: MessageContext) => Promise<void>
  /** Reply after an error: `ack` if a row makes the work due again, `retry` if only the message records the work. */
  onError: 'ack' | 'retry'
  log: Log
  metrics: Metrics
  signal: AbortSignal
}

export async function settleMessage<S extends z.ZodType>(received: JsMsg, options: SettleOptions<S>): Promise<void> {
  const { trace, span } = beginProcessing(options.consumer, [received])
  await inContext({ trace }, () => settle(received, span, options))
  span?.end()
}

async function settle<S extends z.ZodType>(
  received: JsMsg,
  span: Span | null,
  options: SettleOptions<S>,
): Promise<void> {
  const { consumer, log, metrics, signal } = options
  const startedAt = performance.now()
  const signs = giveSignsOfLife([received], consumer)
  let outcome: SettledMessage['outcome'] = 'done'
  let failure: unknown
  try {
    const data = readMessage(received, options.message)
    if (data === UNREADABLE) outcome = 'unreadable'
    else await options.handle(data, { signal, subject: received.subject })
  } catch (error) {
    outcome = signal.aborted ? 'handed_back' : 'failed'
    failure = error
  }
  const isLate = signs.end()
  if (span && outcome !== 'done') failSpan(span, failure ?? { code: outcome })
  const reply = await inSpan(settleSpan(consumer, outcome), async () => replyTo(received, outcome, options.onError))
  const seconds = (performance.now() - startedAt) / 1000
  const result = isLate ? 'expired' : reply
  metrics.observeMessage(consumer, { outcome, result, isRedelivery: received.info.redelivered }, seconds)
  const line = {
    subject: received.subject,
    deliveries: received.info.deliveryCount,
    outcome,
    durationMs: Math.round(seconds * 1000),
  }
  if (outcome === 'failed') log.error({ ...line, err: failure }, 'message failed')
  else if (outcome === 'unreadable') log.error(line, 'message cannot be read')
  else log.info(line, 'message settled')
}

/** The server counts `ack_wait` from the last sign of life. `end` returns whether the server waited longer. */
export function giveSignsOfLife(messages: readonly JsMsg[], { ackWaitSeconds }: ConsumerDefinition) {
  const ackWaitMs = ackWaitSeconds * 1000
  let lastAt = performance.now()
  const give = () => {
    for (const message of messages) message.working()
    lastAt = performance.now()
  }
  const timer = setInterval(give, Math.min(WORKING_MS, ackWaitMs / 3))
  return {
    end(): boolean {
      clearInterval(timer)
      return performance.now() - lastAt > ackWaitMs
    },
  }
}

export const UNREADABLE = Symbol('unreadable')

export function readMessage<S extends z.ZodType>(
  received: JsMsg,
  message: Message<S>,
): z.output<S> | typeof UNREADABLE {
  try {
    return message.schema.parse(received.json())
  } catch {
    return UNREADABLE
  }
}

export function replyTo(
  received: JsMsg,
  outcome: SettledMessage['outcome'],
  onError: 'ack' | 'retry',
): Exclude<Settlement, 'expired'> {
  const isAcked = outcome !== 'handed_back' && (outcome !== 'failed' || onError === 'ack')
  if (isAcked) received.ack()
  else if (outcome === 'handed_back') received.nak()
  else received.nak(retryDelayMs(received.info.deliveryCount))
  return isAcked ? 'ack' : 'nak'
}

function retryDelayMs(deliveries: number): number {
  return Math.min(RETRY_MAX_MS, RETRY_BASE_MS * 2 ** Math.min(deliveries - 1, 10))
}
