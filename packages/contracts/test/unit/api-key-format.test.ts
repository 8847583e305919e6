import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { apiKeyRandomBytes, formatApiKey, isWellFormedApiKey } from '../../src/public/api-key-format.ts'

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function decodeBase62(digits: string): bigint {
  return [...digits].reduce((value, digit) => value * 62n + BigInt(alphabet.indexOf(digit)), 0n)
}

describe('the API key format', () => {
  const samples = [new Uint8Array(32), new Uint8Array(32).fill(255)]
  for (let seed = 1; seed <= 50; seed++)
    samples.push(Uint8Array.from({ length: 32 }, (_, i) => (seed * 37 + i * 101) & 255))

  it('carries all 256 bits and the CRC32 that zlib computes', () => {
    for (const random of samples) {
      const key = formatApiKey(random)
      expect(key).toMatch(/^tdp_[0-9A-Za-z]{49}$/)
      expect(decodeBase62(key.slice(4, 47)).toString(16).padStart(64, '0')).toBe(Buffer.from(random).toString('hex'))
      expect(decodeBase62(key.slice(47))).toBe(BigInt(crc32(key.slice(0, 47))))
      expect(isWellFormedApiKey(key)).toBe(true)
    }
    expect(apiKeyRandomBytes).toBe(32)
  })

  it('rejects every change of one character', () => {
    const key = formatApiKey(samples[7] as Uint8Array)
    for (let index = 0; index < key.length; index++) {
      for (const other of ['0', 'Z', '_']) {
        if (key[index] === other) continue
        expect(isWellFormedApiKey(key.slice(0, index) + other + key.slice(index + 1))).toBe(false)
      }
    }
  })

  it.each([
    '',
    'tdp_',
    'tdp_short',
    `${formatApiKey(new Uint8Array(32))}0`,
    `x${formatApiKey(new Uint8Array(32))}`,
    `${formatApiKey(new Uint8Array(32))}\n`,
    'x'.repeat(1_000_000),
  ])('rejects %.20j', (text) => {
    expect(isWellFormedApiKey(text)).toBe(false)
  })
})
