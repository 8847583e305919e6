import type { JsMsg } from '@nats-io/jetstream'
import { headers, type MsgHdrs } from '@nats-io/transport-node'
import type { ConsumerDefinition } from '@tideport/contracts/internal/streams'
import { currentTrace } from '../context/request-context.ts'
import { type SentTrace, sentTrace, traceHeaders } from '../context/trace-context.ts'
import { type Begun, beginSpan, type SpanOptions } from './span.ts'

/** Follows OpenTelemetry's conventions as far as they fit NATS. Subjects omit their last token, which is an ID. */
const system = { 'messaging.system': 'nats' }

export function messageHeaders(): MsgHdrs {
  const own = headers()
  for (const [name, value] of Object.entries(traceHeaders(currentTrace()))) own.set(name, value)
  return own
}

/** The span of publishing one message. */
export function sendSpan(subject: string, messageId?: string): SpanOptions {
  const id = messageId === undefined ? {} : { 'messaging.message.id': messageId }
  return {
    name: `send ${subject}`,
    kind: 'producer',
    attributes: { ...system, ...id, 'messaging.operation.type': 'send', 'messaging.destination.name': subject },
  }
}

/** Continues the sender's trace at the first delivery of a single message. Redeliveries and batches only link to it. */
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

/** The span of settling messages. Its name never contains the reply subject, which contains an ID. */
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
