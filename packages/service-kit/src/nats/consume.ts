import { setTimeout as delay, setImmediate as endOfTurn } from 'node:timers/promises'
import type { Consumer } from '@nats-io/jetstream'
import type { z } from 'zod'
import type { NatsLink } from './nats.ts'
import { type Consumption, pullMessages, pullUntilStopped, startConsumption } from './pull-loop.ts'
import { type SettleOptions, settleMessage } from './settle-message.ts'

const HELD_BACK_MS = 500

export interface ConsumeOptions<S extends z.ZodType> extends SettleOptions<S> {
  link: NatsLink
  /** Maximum messages handled concurrently. The process never takes more from the server. */
  concurrency: number
  /** Called before each pull and for each message. False leaves messages with the broker, e.g. during an outage. */
  shouldPull?: () => boolean
}

/** `busy`: number of messages being handled now. */
type BoundedConsumption = Consumption & { busy(): number }

export function consume<S extends z.ZodType>(options: ConsumeOptions<S>): BoundedConsumption {
  const inFlight = new Set<Promise<void>>()
  options.metrics.expectMessages(options.consumer)
  const consumption = startConsumption(options.signal, async (signal) => {
    await pullUntilStopped({ ...options, signal }, (source) => pullOnce(source, inFlight, { ...options, signal }))
    await Promise.all(inFlight)
  })
  return Object.assign(consumption, { busy: () => inFlight.size })
}

/** Requests one message per free slot, so that no message waits here while another process has a free slot. */
async function pullOnce<S extends z.ZodType>(
  source: Consumer,
  inFlight: Set<Promise<void>>,
  options: ConsumeOptions<S>,
): Promise<void> {
  const { concurrency, signal } = options
  const shouldPull = options.shouldPull ?? (() => true)
  if (!shouldPull()) return await delay(HELD_BACK_MS, undefined, { signal })
  if (inFlight.size >= concurrency) {
    await Promise.race(inFlight)
    // Other messages that settle in the same turn free their slots for the same request.
    await endOfTurn()
  }
  await pullMessages(source, {
    count: concurrency - inFlight.size,
    signal,
    take(received) {
      if (signal.aborted || !shouldPull()) return received.nak(HELD_BACK_MS)
      const settled = settleMessage(received, options).finally(() => inFlight.delete(settled))
      inFlight.add(settled)
    },
  })
}
