import { isIP } from 'node:net'
import { type Address, isIn, parseAddress, parseNetwork } from '../http/ip-address.ts'
import { isPublicAddress } from './private-address.ts'

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
