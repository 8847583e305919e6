import { setTimeout as delay } from 'node:timers/promises'
import { type Consumer, type ConsumerMessages, type JsMsg, jetstream } from '@nats-io/jetstream'
import type { ConsumerDefinition } from '@tideport/contracts/internal/streams'
import type { Log } from '../telemetry/logger.ts'
import type { NatsLink } from './nats.ts'

const PULL_MS = 15_000
const HEARTBEAT_MS = 5000
const RETRY_MIN_MS = 100
const RETRY_MAX_MS = 5000

interface PullOptions {
  link: NatsLink
  consumer: ConsumerDefinition
  log: Log
  signal: AbortSignal
}

export interface Consumption extends AsyncDisposable {
  /** Settles after the stop, once the last message is settled. */
  finished: Promise<void>
}

export function startConsumption(signal: AbortSignal, loop: (stopping: AbortSignal) => Promise<unknown>): Consumption {
  const stop = new AbortController()
  const finished = loop(AbortSignal.any([signal, stop.signal])).then(() => undefined)
  return {
    finished,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await finished
    },
  }
}

/** Survives restarts of the broker, and re-creates missing streams and consumers. */
export async function pullUntilStopped(
  { link, log, signal, consumer }: PullOptions,
  pull: (source: Consumer) => Promise<void>,
): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    try {
      const connection = await link.connected(signal)
      await link.provision(signal)
      const source = await jetstream(connection).consumers.get(consumer.stream, consumer.durable)
      while (!signal.aborted) {
        await pull(source)
        failures = 0
      }
    } catch (error) {
      if (signal.aborted) break
      if (failures++ === 0) log.warn({ err: error, consumer: consumer.durable }, 'pulling was interrupted')
      await delay(Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** failures), undefined, { signal }).catch(() => {})
    }
  }
}

export async function pullMessages(
  source: Consumer,
  { count, signal, take }: { count: number; signal: AbortSignal; take: (received: JsMsg) => void },
): Promise<void> {
  const request = { max_messages: count, expires: PULL_MS, idle_heartbeat: HEARTBEAT_MS }
  const messages: ConsumerMessages = await source.fetch(request)
  const stop = () => messages.stop()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    for await (const received of messages) take(received)
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
