import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Consumer, JsMsg } from '@nats-io/jetstream'
import type { z } from 'zod'
import type { NatsLink } from './nats.ts'
import { type Consumption, pullMessages, pullUntilStopped, startConsumption } from './pull-loop.ts'
import { type SettleBatchOptions, settleBatch } from './settle-batch.ts'

export interface ConsumeBatchesOptions<S extends z.ZodType> extends SettleBatchOptions<S> {
  link: NatsLink
  batchMax: number
  /** How many batches are handled at once; a second one can be fetched while the first is written. */
  concurrency: number
}

/** A single message goes at once; those that arrive during a batch are the next one. */
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
    // The rest of what came in one packet is not here before.
    await nextTurn()
    await settleBatch(waiting.splice(0), options)
  }
}
