import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { FastifyRequest } from 'fastify'
import { type Client, createClientOf, createPeerTrust } from './client-address.ts'

const WARN_EVERY_MS = 5 * 60_000

export interface AddressOfDeps {
  trustedProxies: readonly string[]
  log: Log
  metrics: Metrics
  monotonicNow: () => number
}

/** `X-Forwarded-For` from an untrusted peer is ignored with a warning: a proxy's clients would share its address. */
export function createAddressOf({ trustedProxies, log, metrics, monotonicNow }: AddressOfDeps) {
  const clientOf = createClientOf(trustedProxies)
  const isTrusted = createPeerTrust(trustedProxies)
  const ignored = metrics.counter({
    name: 'tideport_untrusted_forwarded_for_total',
    help: 'Requests whose X-Forwarded-For was ignored because their peer is not in TRUSTED_PROXIES',
  })
  let warnAt = Number.NEGATIVE_INFINITY

  function warn(peer: string): void {
    ignored.inc()
    if (monotonicNow() < warnAt) return
    warnAt = monotonicNow() + WARN_EVERY_MS
    log.warn({ peer }, 'X-Forwarded-For ignored: its sender is not in TRUSTED_PROXIES, all behind it share one address')
  }

  return ({ headers, raw }: FastifyRequest): Client => {
    const peer = raw.socket.remoteAddress ?? '::'
    const forwardedFor = headers['x-forwarded-for']?.toString()
    if (forwardedFor !== undefined && !isTrusted(peer)) warn(peer)
    return clientOf(peer, forwardedFor)
  }
}
