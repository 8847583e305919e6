import {
  type Address,
  isIn,
  networkOf,
  parseAddress,
  readNetwork,
  readNetworks,
} from '@tideport/service-kit/http/ip-address'

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

/** `X-Forwarded-For` is read from the right, and only as far as trusted proxies wrote it. */
export function createClientOf(trustedProxies: readonly string[]) {
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

export function createPeerTrust(trustedProxies: readonly string[]) {
  const trusted = readNetworks(trustedProxies)
  return (remoteAddress: string): boolean => {
    const peer = parseAddress(remoteAddress)
    return peer !== null && isIn(peer, trusted)
  }
}

function limitKey(address: Address): string {
  return address.kind() === 'ipv4' ? address.toString() : networkOf(address, { ipv4: 32, ipv6: 64 })
}
