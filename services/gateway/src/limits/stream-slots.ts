import { createSlots, type Slots } from '@tideport/service-kit/process/slots'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { FastifyRequest } from 'fastify'
import { createClientAddress } from './client-address.ts'

export interface StreamSlotsOptions {
  /** Of this process, and of one client address (or IPv6 /64). */
  streamsMax: number
  streamsPerAddressMax: number
  trustedProxies: readonly string[]
  metrics: Metrics
}

/** Takes a slot for this request's stream and answers how to give it back. Throws 503 when there is none. */
export type TakeStreamSlot = (request: FastifyRequest) => () => void

/**
 * Bounds how many files are sent at once: by this process, since each of them holds memory and a connection for as long
 * as its reader likes, and to one address, so that a few readers cannot take the place of all others.
 */
export function createStreamSlots(options: StreamSlotsOptions): TakeStreamSlot {
  const { streamsMax, streamsPerAddressMax, trustedProxies, metrics } = options
  const addressOf = createClientAddress(trustedProxies)
  const all = createSlots(streamsMax, 'Too many downloads and uploads are under way')
  const perAddress = new Map<string, Slots>()
  metrics.gauge({
    name: 'tideport_open_streams',
    help: 'Files that are being sent to clients, or come from them, now',
    collect() {
      this.set(all.taken)
    },
  })
  const refused = metrics.counter({
    name: 'tideport_refused_streams_total',
    help: 'Downloads and uploads that were answered 503 because there were too many at once',
    labelNames: ['bound'],
  })

  function counted(slots: Slots, bound: 'address' | 'process'): () => void {
    try {
      return slots.take()
    } catch (error) {
      refused.labels(bound).inc()
      throw error
    }
  }

  return ({ raw }) => {
    const address = addressOf(raw.socket.remoteAddress ?? '::', raw.headers['x-forwarded-for']?.toString())
    const own =
      perAddress.get(address) ?? createSlots(streamsPerAddressMax, 'Too many downloads and uploads of your address')
    const releaseOwn = counted(own, 'address')
    try {
      const release = counted(all, 'process')
      perAddress.set(address, own)
      return () => {
        release()
        releaseOwn()
        if (own.taken === 0) perAddress.delete(address)
      }
    } catch (error) {
      releaseOwn()
      throw error
    }
  }
}
