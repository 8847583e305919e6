import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Consumer, JsMsg } from '@nats-io/jetstream'
import type { Span } from '@opentelemetry/api'
import type { z } from 'zod'
import { inContext, logFields } from '../context/request-context.ts'
import { newTrace, type SentTrace, type TraceContext } from '../context/trace-context.ts'
import { isUnavailable } from '../postgres/database-errors.ts'
import type { SettledMessage } from '../telemetry/message-metrics.ts'
import { beginProcessing, senderOf, settleSpan } from '../telemetry/messaging-span.ts'
import { failSpan, inSpan } from '../telemetry/span.ts'
import type { NatsLink } from './nats.ts'
import { type Consumption, pullMessages, pullUntilStopped, startConsumption } from './pull-loop.ts'
import { giveSignsOfLife, readMessage, replyTo, type SettleOptions, UNREADABLE } from './settle-message.ts'

interface ConsumeBatchesOptions<S extends z.ZodType> extends SettleBatchOptions<S> {
  link: NatsLink
  batchMax: number
  /** Maximum batches handled concurrently. A second batch can be fetched while the first is written. */
  concurrency: number
}

/** A single message is handled immediately. Messages that arrive during a batch form the next batch. */
export function consumeBatches<S extends z.ZodType>(options: ConsumeBatchesOptions<S>): Consumption {
  options.metrics.expectMessages(options.consumer)
  return startConsumption(options.signal, async (signal) => {
    const pull = (source: Consumer) => pullBatches(source, { ...options, signal })
    const loops = Array.from({ length: options.concurrency }, () => pullUntilStopped({ ...options, signal }, pull))
    await Promise.all(loops)
  })
}

async function pullBatches<S extends z.ZodType>(source: Consumer, options: ConsumeBatchesOptions<S>): Promise<void> {
  const { batchMax, signal } = options
  const waiting: JsMsg[] = []
  let settling: Promise<void> | null = null
  const take = (received: JsMsg) => {
    if (signal.aborted) return received.nak()
    waiting.push(received)
    settling ??= settleWaiting(waiting, options).finally(() => {
      settling = null
    })
  }
  try {
    await pullMessages(source, { count: batchMax, signal, take })
  } finally {
    await settling
  }
}

async function settleWaiting<S extends z.ZodType>(waiting: JsMsg[], options: SettleBatchOptions<S>): Promise<void> {
  while (waiting.length > 0) {
    // The other messages of the same packet are available only in the next turn.
    await nextTurn()
    await settleBatch(waiting.splice(0), options)
  }
}

export interface BatchEntry<Data> {
  data: Data
  trace: TraceContext
}

interface SettleBatchOptions<S extends z.ZodType> extends Omit<SettleOptions<S>, 'handle' | 'onError' | 'concurrency'> {
  /** Must be all or nothing: after an error, the messages of the batch are handled again. */
  handle: (entries: BatchEntry<z.output<S>>[]) => Promise<void>
}

interface Received<Data> extends BatchEntry<Data> {
  message: JsMsg
}

/** Acks, rejects permanently, or hands back each message. Retries a failed batch message by message. Never throws. */
async function settleBatch<S extends z.ZodType>(
  messages: readonly JsMsg[],
  options: SettleBatchOptions<S>,
): Promise<void> {
  const readable: Received<z.output<S>>[] = []
  for (const message of messages) {
    const data = readMessage(message, options.message)
    const trace = completed(senderOf(message))
    if (data === UNREADABLE) settle(message, { outcome: 'unreadable', isLate: false, seconds: 0 }, options, trace)
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

/** Returns the messages to retry one by one. */
async function settleOnce<S extends z.ZodType>(
  batch: Received<z.output<S>>[],
  span: Span | null,
  options: SettleBatchOptions<S>,
): Promise<Received<z.output<S>>[]> {
  const { consumer, log } = options
  const startedAt = performance.now()
  const messages = batch.map(({ message }) => message)
  const signs = giveSignsOfLife(messages, consumer)
  const failure = await options.handle(batch).then(
    () => null,
    (error: unknown) => error ?? new Error('failed'),
  )
  const isLate = signs.end()
  if (span && failure !== null) failSpan(span, failure)
  if (failure !== null && batch.length > 1 && !isUnavailable(failure)) return batch
  const seconds = (performance.now() - startedAt) / 1000
  const end: End = { outcome: failure === null ? 'done' : 'failed', isLate, seconds }
  await inSpan(settleSpan(consumer, end.outcome), async () => {
    for (const { message, trace } of batch) settle(message, end, options, trace)
  })
  const line = { consumer: consumer.durable, messages: batch.length, durationMs: Math.round(seconds * 1000) }
  if (failure === null) log.info(line, 'messages settled')
  else log.error({ ...line, err: failure }, 'messages failed')
  return []
}

interface End extends Pick<SettledMessage, 'outcome'> {
  isLate: boolean
  seconds: number
}

function settle<S extends z.ZodType>(
  message: JsMsg,
  { outcome, isLate, seconds }: End,
  { consumer, log, metrics }: SettleBatchOptions<S>,
  trace: TraceContext,
): void {
  const reply = replyTo(message, outcome, 'retry')
  const result = isLate ? 'expired' : reply
  metrics.observeMessage(consumer, { outcome, result, isRedelivery: message.info.redelivered }, seconds)
  if (outcome === 'unreadable')
    log.error({ ...logFields(trace), subject: message.subject, outcome }, 'message cannot be read')
}

function completed({ requestId, traceparent }: SentTrace): TraceContext {
  return { requestId, traceparent: traceparent ?? newTrace().traceparent }
}
