import type { Readable } from 'node:stream'
import { clientAddressHeader } from '@tideport/contracts/internal/request-headers'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { logFields } from '@tideport/service-kit/context/request-context'
import { holderOf, takingPace } from '@tideport/service-kit/http/transfer'
import { AppError } from '@tideport/service-kit/process/app-error'
import { FairSlots, type Transfer } from '@tideport/service-kit/process/fair-slots'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { FilesConfig } from '../config.ts'
import type { Exchange, SendDeps } from './send-file.ts'

interface Deps {
  hotTier: HotTier
  networks: Networks
  log: Log
  metrics: Metrics
  config: Pick<FilesConfig, 'hotStreamsMax' | 'coldStreamsMax'>
}

const RETRY_AFTER_SECONDS = 5

/**
 * Limits the open streams of each tier separately, and shares the slots fairly among accounts and networks. `noteRead`
 * counts reads by source.
 */
export function capStreams({
  hotTier,
  networks,
  log,
  metrics,
  config,
}: Deps): Pick<SendDeps, 'noteRead' | 'sourcesFor'> {
  const refusal = () =>
    new AppError('unavailable', 'Too many downloads are in progress. Try again later.', {
      retryAfterSeconds: RETRY_AFTER_SECONDS,
    })
  const hot = new FairSlots({ max: config.hotStreamsMax, refusal })
  const cold = new FairSlots({ max: config.coldStreamsMax, refusal })
  const { reads, cut } = countStreams(metrics, { hot, cold })

  function transferOf({ request, reply }: Exchange, tier: 'hot' | 'cold'): Transfer {
    return {
      holder: holderOf(request.principal, request.headers[clientAddressHeader]?.toString() ?? ''),
      pace: takingPace(request.raw),
      cut(bound) {
        cut.labels(tier).inc()
        log.info(
          { ...logFields(request.context.trace), tier, bound },
          'slow download cut off: other downloads wait for its slot',
        )
        reply.raw.destroy()
      },
    }
  }

  return {
    noteRead: (source: string) => reads.inc({ source }),
    sourcesFor: (exchange) => ({
      hotTier: {
        ...hotTier,
        open(key, wanted, signal) {
          return inSlot(hot.take(transferOf(exchange, 'hot'), signal), () => hotTier.open(key, wanted, signal))
        },
      },
      networks: {
        ...networks,
        get(name) {
          const network = networks.get(name)
          if (network === undefined) return undefined
          return {
            ...network,
            open(copy, options) {
              const slot = cold.take(transferOf(exchange, 'cold'), options.signal)
              return inSlot(slot, () => network.open(copy, options))
            },
          }
        },
      },
    }),
  }
}

/** Keeps a slot from before the bytes are opened until they are closed. */
async function inSlot<Bytes extends Readable | null>(
  slot: Promise<() => void>,
  open: () => Promise<Bytes>,
): Promise<Bytes> {
  const release = await slot
  try {
    const bytes = await open()
    if (bytes === null || bytes.closed) release()
    else bytes.once('close', release)
    return bytes
  } catch (error) {
    release()
    throw error
  }
}

function countStreams(metrics: Metrics, slots: Record<'hot' | 'cold', FairSlots>) {
  metrics.showEach('tideport_open_streams', 'tier', 'Downloads in progress', () =>
    Object.fromEntries(Object.entries(slots).map(([tier, { taken }]) => [tier, taken])),
  )
  return {
    reads: metrics.counter({
      name: 'tideport_reads_total',
      help: 'Responses with bytes of a file, by source: hot, or the name of a network',
      labelNames: ['source'],
    }),
    cut: metrics.counter({
      name: 'tideport_cut_streams_total',
      help: 'Slow downloads cut off because others were waiting for their slots',
      labelNames: ['tier'],
    }),
  }
}
