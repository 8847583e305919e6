import { describe, expect, it } from 'vitest'
import { createClientAddress, isLoopback, isNetwork } from '../../src/limits/client-address.ts'

describe('the client address', () => {
  const direct = createClientAddress([])
  const behind = createClientAddress(['10.0.0.0/8', 'fd00::/8', '192.0.2.7'])

  it('is the last hop that is not a trusted proxy, ignoring entries from the client further left', () => {
    expect(behind('10.0.0.1', '1.1.1.1, 203.0.113.9')).toBe('203.0.113.9')
    expect(behind('10.0.0.1', '1.1.1.1, 203.0.113.9, 10.2.3.4,192.0.2.7')).toBe('203.0.113.9')
    expect(behind('fd00::1', '203.0.113.9')).toBe('203.0.113.9')
    expect(behind('::ffff:10.0.0.1', '203.0.113.9')).toBe('203.0.113.9')
  })

  it('is that of the proxy when the list is missing, empty, used up, or invalid', () => {
    for (const list of [undefined, '', 'unknown', '1.1.1.1, "><script>', '999.1.1.1']) {
      expect(behind('10.0.0.1', list)).toBe('10.0.0.1')
    }
    expect(behind('10.0.0.1', '10.9.9.9')).toBe('10.9.9.9')
  })

  it('is the /64 for IPv6 and the embedded IPv4 address for a mapped address', () => {
    expect(direct('2001:db8:1:2:3:4:5:6', undefined)).toBe(direct('2001:db8:1:2:ffff::1', undefined))
    expect(direct('2001:db8:1:2::1', undefined)).not.toBe(direct('2001:db8:1:3::1', undefined))
    expect(direct('::ffff:198.51.100.1', undefined)).toBe('198.51.100.1')
    expect(direct('fe80::1%eth0', undefined)).toBe('fe80::/64')
  })

  it('is not IPv4 in the deprecated form "::10.0.0.1", so it cannot pass for a proxy', () => {
    expect(behind('::10.0.0.1', '203.0.113.9')).toBe('::/64')
    expect(direct('::8.8.8.8', undefined)).not.toBe(direct('8.8.8.8', undefined))
    expect(behind('10.0.0.1', '1.1.1.1, ::8.8.8.8')).toBe('::/64')
  })
})

it('recognizes networks and loopback hosts by their addresses', () => {
  expect(['10.0.0.0/8', '10.1.2.3', 'fd00::/8', '::1'].every(isNetwork)).toBe(true)
  expect(['', 'all', '10.0.0.0/33', 'example.com', '10/8', '010.0.0.0/8', '127.1'].some(isNetwork)).toBe(false)
  expect(['127.0.0.1', '127.9.9.9', '::1', 'localhost', '::ffff:127.0.0.1'].every(isLoopback)).toBe(true)
  expect(['0.0.0.0', '::', '10.0.0.1', 'localhost.example', '', '::127.0.0.1', '127.1'].some(isLoopback)).toBe(false)
})
