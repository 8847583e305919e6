import type { Readable } from 'node:stream'
import { clientAddressHeader } from '@tideport/contracts/internal/request-headers'
import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { logFields } from '@tideport/service-kit/context/request-context'
import { bodyPace, holderOf, takingPace } from '@tideport/service-kit/http/transfer'
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

type Tier = 'hot' | 'cold' | 'upload'

/**
 * Runs an upload that is sent to the store while it arrives, because it keeps a connection to the store for as long as
 * its client takes. The signal aborts with an error for the client when a slow one loses its slot.
 */
export type InUploadSlot = <T>(request: Exchange['request'], work: (signal: AbortSignal) => Promise<T>) => Promise<T>

const tooMany = (what: string) =>
  new AppError('unavailable', `Too many ${what} are in progress. Try again later.`, {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  })

/**
 * Limits the open streams of each tier and of uploads separately, and shares the slots fairly among accounts and networks. `noteRead`
 * counts reads by source.
 */
export function capStreams({
  hotTier,
  networks,
  log,
  metrics,
  config,
}: Deps): Pick<SendDeps, 'noteRead' | 'sourcesFor'> & { inUploadSlot: InUploadSlot } {
  const hot = new FairSlots({ max: config.hotStreamsMax, refusal: () => tooMany('downloads') })
  const cold = new FairSlots({ max: config.coldStreamsMax, refusal: () => tooMany('downloads') })
  const upload = new FairSlots({ max: config.hotStreamsMax, refusal: () => tooMany('uploads') })
  const { reads, cut } = countStreams(metrics, { hot, cold, upload })

  function transferOf({ request }: Pick<Exchange, 'request'>, tier: Tier, end: () => void): Transfer {
    return {
      holder: holderOf(request.principal, request.headers[clientAddressHeader]?.toString() ?? ''),
      pace: tier === 'upload' ? bodyPace(request.raw) : takingPace(request.raw),
      cut(bound) {
        cut.labels(tier).inc()
        log.info(
          { ...logFields(request.context.trace), tier, bound },
          'slow transfer cut off: other transfers wait for its slot',
        )
        end()
      },
    }
  }
  const readOf = (exchange: Exchange, tier: Tier) => transferOf(exchange, tier, () => exchange.reply.raw.destroy())

  return {
    async inUploadSlot(request, work) {
      const late = new AbortController()
      const release = await upload.take(transferOf({ request }, 'upload', () => late.abort(tooMany('uploads'))))
      try {
        return await work(late.signal)
      } finally {
        release()
      }
    },
    noteRead: (source: string) => reads.inc({ source }),
    sourcesFor: (exchange) => ({
      hotTier: {
        ...hotTier,
        open(key, wanted, signal) {
          return inSlot(hot.take(readOf(exchange, 'hot'), signal), () => hotTier.open(key, wanted, signal))
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
              const slot = cold.take(readOf(exchange, 'cold'), options.signal)
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

function countStreams(metrics: Metrics, slots: Record<Tier, FairSlots>) {
  metrics.showEach('tideport_open_streams', 'tier', 'Downloads by tier, and uploads through this service', () =>
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
      help: 'Slow transfers cut off because others were waiting for their slots',
      labelNames: ['tier'],
    }),
  }
}
