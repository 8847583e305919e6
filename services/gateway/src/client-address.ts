import ipaddr from 'ipaddr.js'

type Network = [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Whether this text is a network in CIDR notation, or a single address. */
export function isNetwork(text: string): boolean {
  return ipaddr.isValidCIDR(text) || ipaddr.isValid(text)
}

/** Whether only this machine can reach a server that listens on this host. */
export function isLoopback(host: string): boolean {
  if (host === 'localhost') return true
  return ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback'
}

/**
 * Tells whose request it is, as a key for rate limits: an IPv4 address, or the /64 of an IPv6 address, which one
 * customer owns whole. `X-Forwarded-For` is read from the right, and only as far as trusted proxies wrote it.
 */
export function createClientAddress(trustedProxies: readonly string[]) {
  const trusted = trustedProxies.map(parseNetwork)
  return (remoteAddress: string, forwardedFor: string | undefined): string => {
    let client = ipaddr.process(withoutZone(remoteAddress))
    const hops = forwardedFor?.split(',').map((hop) => withoutZone(hop.trim())) ?? []
    while (isIn(client, trusted)) {
      const hop = hops.pop()
      if (hop === undefined || !ipaddr.isValid(hop)) break
      client = ipaddr.process(hop)
    }
    return limitKey(client)
  }
}

function parseNetwork(text: string): Network {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  const address = ipaddr.process(text)
  return [address, address.kind() === 'ipv4' ? 32 : 128]
}

function isIn(address: ipaddr.IPv4 | ipaddr.IPv6, networks: readonly Network[]): boolean {
  return networks.some(([network, bits]) => network.kind() === address.kind() && address.match(network, bits))
}

function limitKey(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  if (address.kind() === 'ipv4') return address.toString()
  return `${ipaddr.IPv6.networkAddressFromCIDR(`${address.toString()}/64`).toString()}/64`
}

function withoutZone(address: string): string {
  return address.split('%')[0] ?? ''
}
