import type { JsMsg } from '@nats-io/jetstream'
import { headers, type MsgHdrs } from '@nats-io/transport-node'
import type { ConsumerDefinition } from '@tideport/contracts/internal/streams'
import { currentTrace } from '../context/request-context.ts'
import { type SentTrace, sentTrace, traceHeaders } from '../context/trace-context.ts'
import { type Begun, beginSpan, type SpanOptions } from './span.ts'

/** OpenTelemetry's conventions as far as they fit NATS. Subjects are told without their last token, an ID. */
const system = { 'messaging.system': 'nats' }

export function messageHeaders(): MsgHdrs {
  const own = headers()
  for (const [name, value] of Object.entries(traceHeaders(currentTrace()))) own.set(name, value)
  return own
}

/** Publishing one message. */
export function sendSpan(subject: string, messageId?: string): SpanOptions {
  const id = messageId === undefined ? {} : { 'messaging.message.id': messageId }
  return {
    name: `send ${subject}`,
    kind: 'producer',
    attributes: { ...system, ...id, 'messaging.operation.type': 'send', 'messaging.destination.name': subject },
  }
}

/** Continues the sender's trace for a first message; repetitions and batches are only linked to it. */
export function beginProcessing(consumer: ConsumerDefinition, received: readonly JsMsg[]): Begun {
  const senders = received.map(senderOf)
  const [first] = received
  const alone = received.length === 1 ? first : undefined
  const only = alone
    ? { 'messaging.nats.delivery_count': alone.info.deliveryCount, ...idOf(alone) }
    : { 'messaging.batch.message_count': received.length }
  const options: SpanOptions = {
    name: `process ${consumer.durable}`,
    kind: 'consumer',
    attributes: { ...attributesOf(consumer), ...only, 'messaging.operation.type': 'process' },
    links: senders.map(({ traceparent }) => traceparent),
  }
  const requestId = (alone && senders[0]?.requestId) ?? ''
  const traceparent = alone && !alone.redelivered ? senders[0]?.traceparent : undefined
  return beginSpan(options, { requestId, traceparent })
}

export function senderOf(received: JsMsg): SentTrace {
  return sentTrace((name) => received.headers?.get(name) || undefined)
}

/** Telling the server what came of them; never named by the subject of the answer, which has an id in it. */
export function settleSpan(consumer: ConsumerDefinition, outcome: string): SpanOptions {
  return {
    name: `settle ${consumer.durable}`,
    kind: 'client',
    attributes: { ...attributesOf(consumer), 'messaging.operation.type': 'settle', 'tideport.outcome': outcome },
  }
}

function attributesOf({ stream, durable, filterSubject }: ConsumerDefinition) {
  return {
    ...system,
    'messaging.destination.name': filterSubject,
    'messaging.consumer.group.name': durable,
    'messaging.nats.stream': stream,
  }
}

function idOf(received: JsMsg) {
  const id = received.headers?.get('Nats-Msg-Id')
  return id ? { 'messaging.message.id': id } : {}
}
