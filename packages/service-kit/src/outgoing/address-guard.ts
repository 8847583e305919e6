import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type Address, isIn, parseAddress, parseNetwork } from '../http/ip-address.ts'

/** Whether this IP address, which a customer chose, may be called. */
export type AddressGuard = (address: string) => boolean

export const loopbackNetworks = ['127.0.0.0/8', '::1/128'] as const

export function createAddressGuard(allowedNetworks: readonly string[]): AddressGuard {
  const allowed = allowedNetworks.map(parseNetwork).filter((network) => network !== null)
  const isAllowed = (address: Address | null) => address !== null && isIn(address, allowed)
  return (address) => isPublicAddress(address) || isAllowed(parseAddress(address))
}

/** Whether this text is a network in CIDR notation. Short forms, which parsers read in different ways, do not count as one. */
export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== null
}

/** The address that a host of a URL stands for without being looked up; null for a name that must be. */
export function literalAddress(host: string): string | null {
  const bare = withoutTrailingDot(host).replace(/^\[(.*)\]$/, '$1')
  if (isIP(bare) !== 0) return bare
  // Reserved for loopback (RFC 6761).
  return bare === 'localhost' || bare.endsWith('.localhost') ? '127.0.0.1' : null
}

/** A fully qualified name as resolvers and certificates have it. */
export function withoutTrailingDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host
}

/** IPv4 that is not the public internet: the IANA special-purpose registry, multicast, and Azure's internal server. */
const specialV4 = [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
].map((network) => ipaddr.IPv4.parseCIDR(network))

/** All unicast that IANA has assigned. The rest, with forms that wrap an IPv4 address, is not public. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
const specialV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'].map((network) =>
  ipaddr.IPv6.parseCIDR(network),
)

/** Whether an address is one of the public internet. An IPv4-mapped one is judged by the inner address. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text)
  return address !== null && isPublic(address)
}

function isPublic(address: Address): boolean {
  if (address.kind() === 'ipv4') return !isIn(address, specialV4)
  return isIn(address, [globalUnicast]) && !isIn(address, specialV6)
}
