import {
  type Address,
  isIn,
  networkOf,
  parseAddress,
  readNetwork,
  readNetworks,
} from '@tideport/service-kit/http/ip-address'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { FastifyRequest } from 'fastify'

export function isNetwork(text: string): boolean {
  return readNetwork(text) !== null
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || parseAddress(host)?.range() === 'loopback'
}

/** The key of rate limits: an IPv4 address, or the /64 of an IPv6 address. */
export function createClientAddress(trustedProxies: readonly string[]) {
  const clientOf = createClientOf(trustedProxies)
  return (remoteAddress: string, forwardedFor: string | undefined) => clientOf(remoteAddress, forwardedFor).limitKey
}

export interface Client {
  address: string
  limitKey: string
}

/** Reads `X-Forwarded-For` from the right, only as far as trusted proxies wrote it. */
function createClientOf(trustedProxies: readonly string[]) {
  const trusted = readNetworks(trustedProxies)
  return (remoteAddress: string, forwardedFor: string | undefined): Client => {
    let client = parseAddress(remoteAddress)
    if (client === null) return { address: remoteAddress, limitKey: remoteAddress }
    const hops = forwardedFor?.split(',').map((hop) => hop.trim()) ?? []
    while (isIn(client, trusted)) {
      const hop = parseAddress(hops.pop() ?? '')
      if (hop === null) break
      client = hop
    }
    return { address: client.toString(), limitKey: limitKey(client) }
  }
}

function createPeerTrust(trustedProxies: readonly string[]) {
  const trusted = readNetworks(trustedProxies)
  return (remoteAddress: string): boolean => {
    const peer = parseAddress(remoteAddress)
    return peer !== null && isIn(peer, trusted)
  }
}

function limitKey(address: Address): string {
  return address.kind() === 'ipv4' ? address.toString() : networkOf(address, { ipv4: 32, ipv6: 64 })
}

const WARN_EVERY_MS = 5 * 60_000

export interface AddressOfDeps {
  trustedProxies: readonly string[]
  log: Log
  metrics: Metrics
  monotonicNow: () => number
}

/** Ignores `X-Forwarded-For` from an untrusted peer and warns, because all clients of that proxy share its address. */
export function createAddressOf({ trustedProxies, log, metrics, monotonicNow }: AddressOfDeps) {
  const clientOf = createClientOf(trustedProxies)
  const isTrusted = createPeerTrust(trustedProxies)
  const ignored = metrics.counter({
    name: 'tideport_untrusted_forwarded_for_total',
    help: 'Requests whose X-Forwarded-For was ignored because the sender is not in TRUSTED_PROXIES',
  })
  let warnAt = Number.NEGATIVE_INFINITY

  function warn(peer: string): void {
    ignored.inc()
    if (monotonicNow() < warnAt) return
    warnAt = monotonicNow() + WARN_EVERY_MS
    log.warn(
      { peer },
      'X-Forwarded-For ignored: the sender is not in TRUSTED_PROXIES, so all its clients count as one address',
    )
  }

  return ({ headers, raw }: FastifyRequest): Client => {
    const peer = raw.socket.remoteAddress ?? '::'
    const forwardedFor = headers['x-forwarded-for']?.toString()
    if (forwardedFor !== undefined && !isTrusted(peer)) warn(peer)
    return clientOf(peer, forwardedFor)
  }
}
