import type { Readable } from 'node:stream'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { createSlots, type Slots } from '@tideport/service-kit/process/slots'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { FilesConfig } from '../config.ts'

interface Deps {
  hotTier: HotTier
  networks: Networks
  metrics: Metrics
  config: Pick<FilesConfig, 'hotStreamsMax' | 'coldStreamsMax'>
}

/**
 * Both tiers with at most so many streams open at once, each tier for itself. One more is 503 at once: it would wait
 * for readers that may never end. `noteRead` counts what was opened.
 */
export function capStreams({ hotTier, networks, metrics, config }: Deps) {
  const refusal = 'Too many downloads are under way'
  const slots = { hot: createSlots(config.hotStreamsMax, refusal), cold: createSlots(config.coldStreamsMax, refusal) }
  metrics.gauge({
    name: 'tideport_open_streams',
    help: 'Files that are being sent to clients now',
    labelNames: ['tier'],
    collect() {
      for (const [tier, { taken }] of Object.entries(slots)) this.labels(tier).set(taken)
    },
  })
  const reads = metrics.counter({
    name: 'tideport_reads_total',
    help: 'Answers with bytes of a file, by where these came from: hot, or the name of a network',
    labelNames: ['source'],
  })
  return {
    noteRead: (source: string) => reads.inc({ source }),
    hotTier: { ...hotTier, open: capped(slots.hot, hotTier.open) },
    networks: {
      ...networks,
      get(name: string) {
        const network = networks.get(name)
        return network && { ...network, open: capped(slots.cold, network.open) }
      },
    },
  }
}

/** Has its place from before the bytes are asked for until they are closed. */
function capped<Args extends unknown[], Bytes extends Readable | null>(
  slots: Slots,
  open: (...args: Args) => Promise<Bytes>,
): (...args: Args) => Promise<Bytes> {
  return async (...args) => {
    const release = slots.take()
    try {
      const bytes = await open(...args)
      if (bytes === null || bytes.closed) release()
      else bytes.once('close', release)
      return bytes
    } catch (error) {
      release()
      throw error
    }
  }
}
