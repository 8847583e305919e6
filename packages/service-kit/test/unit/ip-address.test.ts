import { describe, expect, it } from 'vitest'
import { isIn, parseAddress, parseNetwork } from '../../src/http/ip-address.ts'

const read = (text: string) => parseAddress(text)?.toString() ?? null

describe('an IP address', () => {
  it('is parsed from canonical text with or without a zone, and an IPv4-mapped one becomes its IPv4 address', () => {
    expect(read('198.51.100.1')).toBe('198.51.100.1')
    expect(read('2001:DB8:0::1')).toBe('2001:db8::1')
    expect(read('fe80::1%eth0')).toBe('fe80::1')
    for (const mapped of ['::ffff:8.8.8.8', '::FFFF:0808:0808', '0:0:0:0:0:ffff:8.8.8.8']) {
      expect(read(mapped)).toBe('8.8.8.8')
    }
  })

  it('in another IPv6 form that contains an IPv4 address stays an IPv6 address', () => {
    for (const other of ['::8.8.8.8', '::ffff:0:8.8.8.8', '64:ff9b::8.8.8.8', '2002:808:808::', '::127.0.0.1']) {
      expect(parseAddress(other)?.kind(), other).toBe('ipv6')
    }
  })

  it('is not parsed from text that parsers interpret in different ways', () => {
    const others = ['', '1', '127.1', '0x7f.0.0.1', '010.0.0.1', '2130706433', '8.8.8.8%eth0', '[::1]', '1.2.3.4:80']
    expect(others.filter((text) => parseAddress(text) !== null)).toEqual([])
  })
})

describe('a network', () => {
  const isInside = (address: string, network: string) => {
    const [parsed, within] = [parseAddress(address), parseNetwork(network)]
    return parsed !== null && within !== null && isIn(parsed, [within])
  }

  it('contains its addresses and no others', () => {
    expect(isInside('10.255.0.1', '10.0.0.0/8')).toBe(true)
    expect(isInside('11.0.0.1', '10.0.0.0/8')).toBe(false)
    expect(isInside('fd00::9', 'fd00::/8')).toBe(true)
    expect(isInside('::ffff:10.0.0.1', '10.0.0.0/8')).toBe(true)
    expect(isInside('10.0.0.1', '::ffff:10.0.0.0/104')).toBe(true)
    expect(isInside('::10.0.0.1', '10.0.0.0/8')).toBe(false)
    expect(isInside('10.0.0.1', '::/0')).toBe(false)
    expect(isInside('203.0.113.9', '0.0.0.0/0')).toBe(true)
  })

  it('is a complete address with a valid prefix length', () => {
    const others = ['10/8', '10.0.0.0', '10.0.0.0/', '10.0.0.0/33', '::/129', '::ffff:10.0.0.0/95', 'fe80::%eth0/10']
    expect([...others, '012.0.0.0/8', '/8', ''].filter((text) => parseNetwork(text) !== null)).toEqual([])
  })
})
