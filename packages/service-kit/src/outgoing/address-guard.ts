import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type Address, isIn, parseAddress, parseNetwork } from '../http/ip-address.ts'

/** Whether requests to this IP address are allowed. A customer chose the address. */
export type AddressGuard = (address: string) => boolean

export const loopbackNetworks = ['127.0.0.0/8', '::1/128'] as const

export function createAddressGuard(allowedNetworks: readonly string[]): AddressGuard {
  const allowed = allowedNetworks.map(parseNetwork).filter((network) => network !== null)
  const isAllowed = (address: Address | null) => address !== null && isIn(address, allowed)
  return (address) => isPublicAddress(address) || isAllowed(parseAddress(address))
}

/** Whether this text is a network in CIDR notation. Short forms do not count: parsers read them in different ways. */
export function isNetwork(text: string): boolean {
  return parseNetwork(text) !== null
}

/** The address of a URL's host that needs no lookup; null for a name that needs one. */
export function literalAddress(host: string): string | null {
  const bare = withoutTrailingDot(host).replace(/^\[(.*)\]$/, '$1')
  if (isIP(bare) !== 0) return bare
  // RFC 6761 reserves these names for loopback.
  return bare === 'localhost' || bare.endsWith('.localhost') ? '127.0.0.1' : null
}

/** The form in which resolvers and certificates expect a fully qualified name. */
export function withoutTrailingDot(host: string): string {
  return host.endsWith('.') ? host.slice(0, -1) : host
}

/** IPv4 outside the public internet: the IANA special-purpose registry, multicast, and Azure's internal server. */
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

/** All unicast addresses that IANA has assigned. The rest is not public, including forms that wrap an IPv4 address. */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')
const specialV6 = ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20'].map((network) =>
  ipaddr.IPv6.parseCIDR(network),
)

/** Whether an address belongs to the public internet. For an IPv4-mapped address, the inner address decides. */
export function isPublicAddress(text: string): boolean {
  const address = parseAddress(text)
  return address !== null && isPublic(address)
}

function isPublic(address: Address): boolean {
  if (address.kind() === 'ipv4') return !isIn(address, specialV4)
  return isIn(address, [globalUnicast]) && !isIn(address, specialV6)
}
