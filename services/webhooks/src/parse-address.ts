import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

export type Address = ipaddr.IPv4 | ipaddr.IPv6

/**
 * An IP address from its canonical text, with or without a zone, as URL parsers, resolvers and sockets give it; null for
 * any other text. An IPv4-mapped address becomes the IPv4 address that it stands for.
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
