import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6
export type Network = [Address, number]

/**
 * Null for short and octal forms, which parsers read differently. An IPv4-mapped address becomes IPv4; an
 * IPv4-compatible one stays IPv6.
 */
export function parseAddress(text: string): Address | null {
  const version = isIP(text)
  if (version === 0) return null
  if (version === 4) return ipaddr.IPv4.parse(text)
  // A stricter parser normalizes the text first: ipaddr.js reads "::8.8.8.8" as the mapped "::ffff:8.8.8.8".
  const { hostname } = new URL(`http://[${text.split('%')[0]}]`)
  const address = ipaddr.IPv6.parse(hostname.slice(1, -1))
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** Parses CIDR notation with a complete address; else null. An IPv4-mapped network becomes the IPv4 network. */
export function parseNetwork(text: string): Network | null {
  const [, base = '', prefix] = /^([^%/]+)\/(\d{1,3})$/.exec(text) ?? []
  const address = parseAddress(base)
  if (address === null) return null
  const isMapped = address.kind() === 'ipv4' && isIP(base) === 6
  const bits = Number(prefix) - (isMapped ? 96 : 0)
  return bits >= 0 && bits <= address.toByteArray().length * 8 ? [address, bits] : null
}

export function readNetwork(text: string): Network | null {
  const address = parseAddress(text)
  return address === null ? parseNetwork(text) : [address, address.toByteArray().length * 8]
}

export function readNetworks(texts: readonly string[]): Network[] {
  return texts.map(readNetwork).filter((network) => network !== null)
}

export function isIn(address: Address, networks: readonly Network[]): boolean {
  return networks.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits))
}

/** The network of an address, with the given prefix length for its IP version. */
export function networkOf(address: Address, bits: { ipv4: number; ipv6: number }): string {
  const kind = address.kind()
  const cidr = `${address.toString()}/${bits[kind]}`
  const base = kind === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(cidr) : ipaddr.IPv6.networkAddressFromCIDR(cidr)
  return `${base.toString()}/${bits[kind]}`
}
