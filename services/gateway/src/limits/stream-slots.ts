import { logFields } from '@tideport/service-kit/context/request-context'
import { holderOf, sendingPace, takingPace } from '@tideport/service-kit/http/transfer'
import { AppError } from '@tideport/service-kit/process/app-error'
import { type Bound, FairSlots } from '@tideport/service-kit/process/fair-slots'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { createClientAddress } from './client-address.ts'
import { isWaiting } from './expectations.ts'

const RETRY_AFTER_SECONDS = 5

const refusals = {
  address: 'Too many concurrent downloads and uploads from your address',
  account: 'Too many concurrent downloads and uploads of your account',
  network: 'Too many concurrent downloads and uploads from your network',
  process: 'Too many concurrent downloads and uploads',
} satisfies Record<Bound, string>

interface StreamSlotsOptions {
  /** Limits of this process, and of one client address (or IPv6 /64). */
  streamsMax: number
  streamsPerAddressMax: number
  trustedProxies: readonly string[]
  log: Log
  metrics: Metrics
}

/** `signal` aborts with the error to respond with when the stream loses its slot before its response begins. */
export interface StreamSlot {
  signal: AbortSignal
  leave: () => void
}

/** Waits up to a second for a slot, then rejects with 503. Null if the client disconnects while waiting. */
export type TakeStreamSlot = (request: FastifyRequest, reply: FastifyReply) => Promise<StreamSlot | null>

/** A client decides how long its stream occupies memory and a connection. Accounts and networks share slots fairly. */
export function createStreamSlots(options: StreamSlotsOptions): TakeStreamSlot {
  const { streamsMax, streamsPerAddressMax, trustedProxies, log } = options
  const addressOf = createClientAddress(trustedProxies)
  const refusal = (bound: Bound) => {
    refused.labels(bound).inc()
    return new AppError('unavailable', refusals[bound], { retryAfterSeconds: RETRY_AFTER_SECONDS })
  }
  const slots = new FairSlots({ max: streamsMax, addressMax: streamsPerAddressMax, refusal })
  const { refused, cut } = countStreams(options.metrics, () => slots.taken)

  function end(
    bound: Bound,
    { request, reply, lost }: { request: FastifyRequest; reply: FastifyReply; lost: AbortController },
  ) {
    cut.labels(bound).inc()
    log.info(
      { ...logFields(request.context.trace), bound },
      'slow stream cut off: other streams are waiting for its slot',
    )
    if (reply.raw.headersSent || !request.routeOptions.config.takesBytes) reply.raw.destroy()
    else lost.abort(new AppError('unavailable', refusals[bound], { retryAfterSeconds: RETRY_AFTER_SECONDS }))
  }

  return async (request, reply) => {
    const { raw, principal, clientAddress } = request
    const limitKey = addressOf(raw.socket.remoteAddress ?? '::', raw.headers['x-forwarded-for']?.toString())
    const lost = new AbortController()
    const gone = new AbortController()
    const onGone = () => gone.abort()
    reply.raw.once('close', onGone)
    const transfer = {
      holder: holderOf(principal, clientAddress, limitKey),
      pace: request.routeOptions.config.takesBytes ? sendingPace(raw, reply.raw, whenAsked(raw)) : takingPace(raw),
      cut: (bound: Bound) => end(bound, { request, reply, lost }),
    }
    try {
      return { signal: lost.signal, leave: await slots.take(transfer, gone.signal) }
    } catch (error) {
      if (gone.signal.aborted) return null
      throw error
    } finally {
      reply.raw.off('close', onGone)
    }
  }
}

/** Whether 100 Continue was sent: nothing else is written before the response. */
function whenAsked(raw: FastifyRequest['raw']): () => boolean {
  const { bytesWritten } = raw.socket
  return () => !isWaiting(raw) || raw.socket.bytesWritten > bytesWritten
}

function countStreams(metrics: Metrics, open: () => number) {
  metrics.show('tideport_open_streams', 'Downloads and uploads in progress', open)
  return {
    refused: metrics.counter({
      name: 'tideport_refused_streams_total',
      help: 'Downloads and uploads rejected with 503 because too many were in progress',
      labelNames: ['bound'],
    }),
    cut: metrics.counter({
      name: 'tideport_cut_streams_total',
      help: 'Slow downloads and uploads cut off because others were waiting for their slots',
      labelNames: ['bound'],
    }),
  }
}
