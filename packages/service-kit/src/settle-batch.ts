import type { JsMsg } from '@nats-io/jetstream'
import type { z } from 'zod'
import { isUnavailable } from './database-errors.ts'
import type { SettledMessage } from './message-metrics.ts'
import { giveSignsOfLife, readMessage, replyTo, type SettleOptions, UNREADABLE } from './settle-message.ts'
import { childTrace, type TraceContext, traceFrom } from './trace-context.ts'

/** One message of a batch. */
export interface BatchEntry<Data> {
  data: Data
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
    const trace = childTrace(traceFrom((name) => message.headers?.get(name) || undefined))
    if (data === UNREADABLE) settle(message, { outcome: 'unreadable', isLate: false, seconds: 0 }, options, trace)
    else readable.push({ message, data, trace })
  }
  if (readable.length > 0) await settleReadable(readable, options)
}

async function settleReadable<S extends z.ZodType>(
  batch: Received<z.output<S>>[],
  options: SettleBatchOptions<S>,
): Promise<void> {
  const { consumer, log } = options
  const startedAt = performance.now()
  const messages = batch.map(({ message }) => message)
  const signs = giveSignsOfLife(messages, consumer)
  const failure = await options.handle(batch).then(
    () => null,
    (error: unknown) => error ?? new Error('failed'),
  )
  const isLate = signs.end()
  if (failure !== null && batch.length > 1 && !isUnavailable(failure)) {
    for (const entry of batch) await settleReadable([entry], options)
    return
  }
  const seconds = (performance.now() - startedAt) / 1000
  const end: End = { outcome: failure === null ? 'done' : 'failed', isLate, seconds }
  for (const { message, trace } of batch) settle(message, end, options, trace)
  const line = { consumer: consumer.durable, messages: batch.length, durationMs: Math.round(seconds * 1000) }
  if (failure === null) log.info(line, 'messages settled')
  else log.error({ ...line, requestId: batch[0]?.trace.requestId, err: failure }, 'messages failed')
}

interface End extends Pick<SettledMessage, 'outcome'> {
  isLate: boolean
  seconds: number
}

function settle<S extends z.ZodType>(
  message: JsMsg,
  { outcome, isLate, seconds }: End,
  { consumer, log, metrics }: SettleBatchOptions<S>,
  { requestId }: TraceContext,
): void {
  const reply = replyTo(message, outcome, 'retry')
  const result = isLate ? 'expired' : reply
  metrics.observeMessage(consumer, { outcome, result, isRedelivery: message.info.redelivered }, seconds)
  if (outcome === 'unreadable') log.error({ requestId, subject: message.subject, outcome }, 'message cannot be read')
}
