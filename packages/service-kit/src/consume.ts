import { setTimeout as delay } from 'node:timers/promises'
import { type Consumer, jetstream } from '@nats-io/jetstream'
import type { z } from 'zod'
import type { NatsLink } from './nats.ts'
import { provisionStreams } from './provision-streams.ts'
import { type SettleOptions, settleMessage } from './settle-message.ts'

const PULL_MS = 15_000
const HEARTBEAT_MS = 5000
const HELD_BACK_MS = 500
const RETRY_MIN_MS = 100
const RETRY_MAX_MS = 5000

export interface ConsumeOptions<S extends z.ZodType> extends SettleOptions<S> {
  link: NatsLink
  /** How many messages are handled at once. No more than that is ever taken from the server. */
  concurrency: number
  /** Asked before each pull; false leaves the messages with the broker, such as while what they need is down. */
  shouldPull?: () => boolean
}

export interface Consumption extends AsyncDisposable {
  /** Settles when it was stopped and the last message is settled. */
  finished: Promise<void>
}

/**
 * Handles the messages of one durable pull consumer until `signal` aborts or it is disposed. Lives through broker
 * restarts and through streams or consumers that vanish: it makes them anew and goes on.
 */
export function consume<S extends z.ZodType>(options: ConsumeOptions<S>): Consumption {
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const finished = pullUntilStopped({ ...options, signal })
  return {
    finished,
    async [Symbol.asyncDispose]() {
      stop.abort()
      await finished
    },
  }
}

async function pullUntilStopped<S extends z.ZodType>(options: ConsumeOptions<S>): Promise<void> {
  const { link, log, signal, consumer } = options
  const inFlight = new Set<Promise<void>>()
  let failures = 0
  while (!signal.aborted) {
    try {
      const connection = await link.connected(signal)
      await provisionStreams(connection)
      const source = await jetstream(connection).consumers.get(consumer.stream, consumer.durable)
      while (!signal.aborted) {
        await pullOnce(source, inFlight, options)
        failures = 0
      }
    } catch (error) {
      if (signal.aborted) break
      if (failures++ === 0) log.warn({ err: error, consumer: consumer.durable }, 'pulling was interrupted')
      await delay(Math.min(RETRY_MAX_MS, RETRY_MIN_MS * 2 ** failures), undefined, { signal }).catch(() => {})
    }
  }
  await Promise.all(inFlight)
}

/** Asks for as many messages as there are free slots, so none waits here while another process has time for it. */
async function pullOnce<S extends z.ZodType>(
  source: Consumer,
  inFlight: Set<Promise<void>>,
  options: ConsumeOptions<S>,
): Promise<void> {
  const { concurrency, signal } = options
  const shouldPull = options.shouldPull ?? (() => true)
  if (!shouldPull()) return await delay(HELD_BACK_MS, undefined, { signal })
  if (inFlight.size >= concurrency) await Promise.race(inFlight)
  const messages = await source.fetch({
    max_messages: concurrency - inFlight.size,
    expires: PULL_MS,
    idle_heartbeat: HEARTBEAT_MS,
  })
  const stop = () => messages.stop()
  signal.addEventListener('abort', stop, { once: true })
  if (signal.aborted) stop()
  try {
    for await (const received of messages) {
      if (signal.aborted || !shouldPull()) {
        received.nak(HELD_BACK_MS)
        continue
      }
      const settled = settleMessage(received, options).finally(() => inFlight.delete(settled))
      inFlight.add(settled)
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}
