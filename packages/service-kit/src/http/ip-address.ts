import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6
/** A base address and how many of its leading bits count. */
export type Network = [Address, number]

/**
 * An IP address from its canonical text, with or without a zone, as URL parsers, resolvers and sockets give it; null
 * for any other text, short and octal forms included, which parsers read in different ways. An IPv4-mapped address
 * becomes the IPv4 address that it stands for; the deprecated IPv4-compatible form (`::8.8.8.8`) stays the IPv6 address
 * it is.
 */
export function parseAddress(text: string): Address | null {
  const version = isIP(text)
  if (version === 0) return null
  if (version === 4) return ipaddr.IPv4.parse(text)
  // Rewritten by a stricter parser first: ipaddr.js takes "::8.8.8.8" for the mapped "::ffff:8.8.8.8".
  const { hostname } = new URL(`http://[${text.split('%')[0]}]`)
  const address = ipaddr.IPv6.parse(hostname.slice(1, -1))
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** A network from CIDR notation with a whole address; null for any other text. A mapped one is the IPv4 network. */
export function parseNetwork(text: string): Network | null {
  const [, base = '', prefix] = /^([^%/]+)\/(\d{1,3})$/.exec(text) ?? []
  const address = parseAddress(base)
  if (address === null) return null
  const isMapped = address.kind() === 'ipv4' && isIP(base) === 6
  const bits = Number(prefix) - (isMapped ? 96 : 0)
  return bits >= 0 && bits <= address.toByteArray().length * 8 ? [address, bits] : null
}

/** A network in CIDR notation, or a single address; null for any other text. */
export function readNetwork(text: string): Network | null {
  const address = parseAddress(text)
  return address === null ? parseNetwork(text) : [address, address.toByteArray().length * 8]
}

/** Networks and single addresses; what is neither is left out. */
export function readNetworks(texts: readonly string[]): Network[] {
  return texts.map(readNetwork).filter((network) => network !== null)
}

/** Whether an address lies in one of the networks. */
export function isIn(address: Address, networks: readonly Network[]): boolean {
  return networks.some(([base, bits]) => base.kind() === address.kind() && address.match(base, bits))
}

/** The network that an address lies in, with so many bits of its kind. */
export function networkOf(address: Address, bits: { ipv4: number; ipv6: number }): string {
  const kind = address.kind()
  const cidr = `${address.toString()}/${bits[kind]}`
  const base = kind === 'ipv4' ? ipaddr.IPv4.networkAddressFromCIDR(cidr) : ipaddr.IPv6.networkAddressFromCIDR(cidr)
  return `${base.toString()}/${bits[kind]}`
}
