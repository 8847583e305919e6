import { describe, expect, it } from 'vitest'
import { createAddressGuard, literalAddress, loopbackNetworks } from '../../src/outgoing/address-guard.ts'

describe('createAddressGuard', () => {
  it('allows only public addresses by default', () => {
    const allows = createAddressGuard([])
    expect(['93.184.216.34', '2606:4700::1111'].every(allows)).toBe(true)
    expect(['127.0.0.1', '::1', '10.0.0.1', 'fd00::1', 'localhost', ''].filter(allows)).toEqual([])
  })

  it('allows exactly the addresses of the configured networks, also in mapped form', () => {
    const allows = createAddressGuard(['10.1.0.0/16', 'fd00:1::/32'])
    expect(['10.1.0.0', '10.1.255.255', '::ffff:10.1.2.3', 'fd00:1::9'].every(allows)).toBe(true)
    const others = ['10.0.255.255', '10.2.0.0', '::ffff:10.2.0.0', 'fd00:2::1', '64:ff9b::10.1.0.1', '::10.1.0.1']
    expect(others.filter(allows)).toEqual([])
  })

  it('allows only loopback for development', () => {
    const allows = createAddressGuard(loopbackNetworks)
    expect(['127.0.0.1', '127.255.255.255', '::1', '::ffff:127.0.0.1'].every(allows)).toBe(true)
    expect(['0.0.0.0', '::', '169.254.169.254', '10.0.0.1', '::2'].filter(allows)).toEqual([])
  })
})

describe('literalAddress', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['[::1]', '::1'],
    ['localhost', '127.0.0.1'],
    ['localhost.', '127.0.0.1'],
    ['a.b.localhost', '127.0.0.1'],
    ['example.com', null],
    ['notlocalhost', null],
    ['localhost.example.com', null],
    ['127.0.0.1.nip.io', null],
  ])('of %s is %s', (host, address) => {
    expect(literalAddress(host)).toBe(address)
  })
})
