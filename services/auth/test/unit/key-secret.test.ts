import { createHash } from 'node:crypto'
import { isWellFormedApiKey } from '@tideport/contracts/public/api-key-format'
import { describe, expect, it } from 'vitest'
import { createKeySecret } from '../../src/keys/key-secret.ts'

describe('a new key', () => {
  it('has the public format, its first 8 characters to show, and the SHA-256 of the whole as digest', () => {
    const { key, keyPrefix, digest } = createKeySecret()
    expect(isWellFormedApiKey(key)).toBe(true)
    expect(keyPrefix).toBe(key.slice(0, 8))
    expect(digest.toString('hex')).toBe(createHash('sha256').update(key).digest('hex'))
  })

  it('is never made twice', () => {
    const keys = Array.from({ length: 1000 }, () => createKeySecret().key)
    expect(new Set(keys).size).toBe(1000)
  })
})
