import ipaddr from 'ipaddr.js'
import { describe, expect, it } from 'vitest'
import { isPublicAddress } from '../../src/outgoing/address-guard.ts'
import { addressTables, specialNetworks } from './foreign-address-tables.ts'

/** The first and last address of a network, and the addresses before and after the network. */
function edges(network: string) {
  const [base, bits] = ipaddr.parseCIDR(network)
  const bytes = base.toByteArray()
  const last = bytes.map((byte, index) => byte | (0xff >> Math.min(8, Math.max(0, bits - index * 8))))
  const inside = [bytes, last].map(toText)
  const outside = [step(bytes, -1), step(last, 1)].filter((address) => address !== null).map(toText)
  return { inside, outside }
}

function toText(bytes: number[]): string {
  return ipaddr.fromByteArray(bytes).toString()
}

function step(bytes: number[], by: 1 | -1): number[] | null {
  const next = BigInt(`0x${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`) + BigInt(by)
  const digits = next.toString(16).padStart(bytes.length * 2, '0')
  if (next < 0 || digits.length > bytes.length * 2) return null
  return (digits.match(/../g) ?? []).map((pair) => Number.parseInt(pair, 16))
}

describe('isPublicAddress', () => {
  it.each(addressTables)('agrees with the table of $source', ({ refused, allowed, stricterHere }) => {
    expect([...refused, ...stricterHere].filter(isPublicAddress)).toEqual([])
    expect(allowed.filter((address) => !isPublicAddress(address))).toEqual([])
  })

  it.each(specialNetworks)('rejects the first and last address of %s, also mapped into IPv6', (network) => {
    const { inside } = edges(network)
    expect(inside.filter(isPublicAddress)).toEqual([])
    if (network.includes('.')) expect(inside.map((address) => `::ffff:${address}`).filter(isPublicAddress)).toEqual([])
  })

  it('accepts public neighbors of these networks', () => {
    const isSpecial = (address: string) =>
      specialNetworks.some((network) => {
        const [base, bits] = ipaddr.parseCIDR(network)
        const parsed = ipaddr.parse(address)
        return base.kind() === parsed.kind() && parsed.match(base, bits)
      })
    const neighbours = specialNetworks.flatMap((network) => edges(network).outside).filter((one) => !isSpecial(one))
    const isInUse = (address: string) =>
      address.includes('.') || ipaddr.parse(address).match(ipaddr.parseCIDR('2000::/3'))
    expect(neighbours.filter(isInUse).length).toBeGreaterThan(20)
    expect(neighbours.filter((address) => isPublicAddress(address) !== isInUse(address))).toEqual([])
  })

  it.each([
    ['IPv4-compatible', '::8.8.8.8'],
    ['IPv4-translated', '::ffff:0:8.8.8.8'],
    ['ISATAP, link-local', 'fe80::5efe:8.8.8.8'],
    ['AWS metadata', 'fd00:ec2::254'],
    ['with a zone', 'fe80::1%eth0'],
  ])('rejects %s: %s', (_, address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})
