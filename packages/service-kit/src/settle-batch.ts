import type { JsMsg } from '@nats-io/jetstream'
import type { Span } from '@opentelemetry/api'
import type { z } from 'zod'
import { isUnavailable } from './database-errors.ts'
import { beginProcessing, senderOf, settleSpan } from './messaging-span.ts'
import type { MessageLabels } from './metrics.ts'
import { inContext, logFields } from './request-context.ts'
import { readMessage, replyTo, type SettleOptions, UNREADABLE, WORKING_MS } from './settle-message.ts'
import { failSpan, inSpan } from './span.ts'
import { newTrace, type SentTrace, type TraceContext } from './trace-context.ts'

/** One message of a batch. */
export interface BatchEntry<Data> {
  data: Data
  /** The sender's, to go on with. */
  trace: TraceContext
}

export interface SettleBatchOptions<S extends z.ZodType>
  extends Omit<SettleOptions<S>, 'handle' | 'onError' | 'concurrency'> {
  /** All or nothing: a batch whose handler threw comes again. */
  handle: (entries: BatchEntry<z.output<S>>[]) => Promise<void>
}

interface Received<Data> extends BatchEntry<Data> {
  message: JsMsg
}

/**
 * Takes a batch of messages to its end: handled and acked, refused for good what cannot be read, or handed back. When
 * one of them may be what makes the batch fail, each is tried alone, so that the others do not wait for it. Never throws.
 */
export async function settleBatch<S extends z.ZodType>(
  messages: readonly JsMsg[],
  options: SettleBatchOptions<S>,
): Promise<void> {
  const readable: Received<z.output<S>>[] = []
  for (const message of messages) {
    const data = readMessage(message, options.message)
    const trace = completed(senderOf(message))
    if (data === UNREADABLE) settle(message, 'unreadable', 0, options, trace)
    else readable.push({ message, data, trace })
  }
  if (readable.length > 0) await settleReadable(readable, options)
}

async function settleReadable<S extends z.ZodType>(
  batch: Received<z.output<S>>[],
  options: SettleBatchOptions<S>,
): Promise<void> {
  const { trace, span } = beginProcessing(
    options.consumer,
    batch.map(({ message }) => message),
  )
  const again = await inContext({ trace }, () => settleOnce(batch, span, options))
  span?.end()
  for (const entry of again) await settleReadable([entry], options)
}

/** Answers those that are to be tried one by one. */
async function settleOnce<S extends z.ZodType>(
  batch: Received<z.output<S>>[],
  span: Span | null,
  options: SettleBatchOptions<S>,
): Promise<Received<z.output<S>>[]> {
  const { consumer, log } = options
  const startedAt = performance.now()
  const tellWorking = () => {
    for (const { message } of batch) message.working()
  }
  // The server counts ack_wait from the last sign of life.
  const working = setInterval(tellWorking, Math.min(WORKING_MS, (consumer.ackWaitSeconds * 1000) / 3))
  const failure = await options.handle(batch).then(
    () => null,
    (error: unknown) => error ?? new Error('failed'),
  )
  clearInterval(working)
  if (span && failure !== null) failSpan(span, failure)
  if (failure !== null && batch.length > 1 && !isUnavailable(failure)) return batch
  const seconds = (performance.now() - startedAt) / 1000
  const outcome = failure === null ? 'done' : 'failed'
  await inSpan(settleSpan(consumer, outcome), async () => {
    for (const { message, trace } of batch) settle(message, outcome, seconds, options, trace)
  })
  const line = { consumer: consumer.durable, messages: batch.length, durationMs: Math.round(seconds * 1000) }
  if (failure === null) log.info(line, 'messages settled')
  else log.error({ ...line, err: failure }, 'messages failed')
  return []
}

function settle<S extends z.ZodType>(
  message: JsMsg,
  outcome: MessageLabels['outcome'],
  seconds: number,
  { consumer, log, metrics }: SettleBatchOptions<S>,
  trace: TraceContext,
): void {
  replyTo(message, outcome, 'retry')
  metrics.observeMessage({ subject: consumer.filterSubject, consumer: consumer.durable, outcome }, seconds)
  if (outcome === 'unreadable')
    log.error({ ...logFields(trace), subject: message.subject, outcome }, 'message cannot be read')
}

function completed({ requestId, traceparent }: SentTrace): TraceContext {
  return { requestId, traceparent: traceparent ?? newTrace().traceparent }
}
