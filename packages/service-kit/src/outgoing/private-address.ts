import ipaddr from 'ipaddr.js'
import { type Address, isIn, parseAddress } from '../http/ip-address.ts'

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
