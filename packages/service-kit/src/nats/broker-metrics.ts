import { jetstreamManager } from '@nats-io/jetstream'
import type { ConsumerDefinition } from '@tideport/contracts/internal/streams'
import { cachedFor } from '../process/cached-for.ts'
import type { Metrics } from '../telemetry/metrics.ts'
import type { NatsLink } from './nats.ts'

const CACHED_MS = 5000
/** Limits how long a scrape waits for an unresponsive broker. */
const WAIT_MS = 1000

interface Found {
  lags: { stream: string; consumer: string; lag: number }[]
  sizes: { stream: string; bytes: number; maxBytes: number }[]
}

const nothing: Found = { lags: [], sizes: [] }

/** Shows consumer lag and stream sizes, read at most every 5 s. Figures that cannot be read have no value. */
export function observeBroker(link: NatsLink, metrics: Metrics, consumers: readonly ConsumerDefinition[]): void {
  const find = cachedFor(CACHED_MS, () => ask(link, consumers).catch(() => nothing))
  metrics.gauge({
    name: 'tideport_consumer_lag',
    help: 'Messages that wait for a consumer or are being processed',
    labelNames: ['stream', 'consumer'],
    async collect() {
      const { lags } = await find()
      this.reset()
      for (const { stream, consumer, lag } of lags) this.set({ stream, consumer }, lag)
    },
  })
  metrics.showEach('tideport_stream_bytes', 'stream', 'Bytes in a stream', async () =>
    Object.fromEntries((await find()).sizes.map(({ stream, bytes }) => [stream, bytes])),
  )
  const maxHelp = 'Maximum bytes of a stream; no value without a limit'
  metrics.showEach('tideport_stream_max_bytes', 'stream', maxHelp, async () => {
    const limited = (await find()).sizes.filter(({ maxBytes }) => maxBytes > 0)
    return Object.fromEntries(limited.map(({ stream, maxBytes }) => [stream, maxBytes]))
  })
}

async function ask(link: NatsLink, consumers: readonly ConsumerDefinition[]): Promise<Found> {
  const connection = link.connection()
  if (connection === null) return nothing
  const manager = await jetstreamManager(connection, { checkAPI: false, timeout: WAIT_MS })
  const names = [...new Set(consumers.map(({ stream }) => stream))]
  const lags = consumers.map(async ({ stream, durable }) => {
    const { num_pending, num_ack_pending } = await manager.consumers.info(stream, durable)
    return { stream, consumer: durable, lag: num_pending + num_ack_pending }
  })
  const sizes = names.map(async (stream) => {
    const { state, config } = await manager.streams.info(stream)
    return { stream, bytes: state.bytes, maxBytes: config.max_bytes }
  })
  return { lags: await found(lags), sizes: await found(sizes) }
}

/** A failed query does not hide the results of the others. */
async function found<T>(asked: Promise<T>[]): Promise<T[]> {
  const answers = await Promise.allSettled(asked)
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []))
}
