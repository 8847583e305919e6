import type { ConsumerDefinition } from '@tideport/contracts/internal/streams'
import { Counter, Histogram, type Registry } from 'prom-client'

/** How a message was settled. `expired`: NATS had stopped waiting and has redelivered the message. */
export type Settlement = 'ack' | 'nak' | 'expired'

export interface SettledMessage {
  outcome: 'done' | 'failed' | 'unreadable' | 'handed_back'
  result: Settlement
  isRedelivery: boolean
}

export interface MessageMetrics {
  /** Counts messages that NATS accepted, one by default. `subject` is the template, without the file's ID. */
  countSent(subject: string, messages?: number): void
  /** Sets the consumer's series to 0, so that they exist before the first message. */
  expectMessages(consumer: ConsumerDefinition): void
  observeMessage(consumer: ConsumerDefinition, message: SettledMessage, seconds: number): void
}

/** Labels contain the consumer's filter and durable name, never the concrete subject. */
export function messageMetrics(registry: Registry): MessageMetrics {
  const registers = [registry]
  const sent = new Counter({
    name: 'messaging_client_sent_messages_total',
    help: 'Messages from this process that NATS accepted',
    labelNames: ['messaging_destination_name'],
    registers,
  })
  const consumed = new Counter({
    name: 'messaging_client_consumed_messages_total',
    help: 'Messages that this process received from NATS',
    labelNames: ['messaging_destination_name', 'messaging_consumer_group_name'],
    registers,
  })
  const settled = new Counter({
    name: 'tideport_messages_settled_total',
    help: 'Messages by how they were settled: ack, nak, or expired (settled after NATS had stopped waiting)',
    labelNames: ['consumer', 'result'],
    registers,
  })
  const redeliveries = new Counter({
    name: 'tideport_message_redeliveries_total',
    help: 'Redelivered messages',
    labelNames: ['consumer'],
    registers,
  })
  const duration = new Histogram({
    name: 'messaging_process_duration_seconds',
    help: 'Time from receiving a message to settling it',
    labelNames: ['messaging_destination_name', 'messaging_consumer_group_name', 'outcome'],
    buckets: durationBuckets,
    registers,
  })
  return {
    countSent: (subject, messages = 1) => sent.labels(subject).inc(messages),
    expectMessages({ filterSubject, durable }) {
      consumed.labels(filterSubject, durable).inc(0)
      redeliveries.labels(durable).inc(0)
      for (const result of ['ack', 'nak', 'expired'] satisfies Settlement[]) settled.labels(durable, result).inc(0)
    },
    observeMessage({ filterSubject, durable }, { outcome, result, isRedelivery }, seconds) {
      consumed.labels(filterSubject, durable).inc()
      settled.labels(durable, result).inc()
      if (isRedelivery) redeliveries.labels(durable).inc()
      duration.labels(filterSubject, durable, outcome).observe(seconds)
    },
  }
}

/** In seconds, for requests and messages. */
export const durationBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300]
