import { generateKeyPairSync } from 'node:crypto'
import type { JSONWebKeySet } from 'jose'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createJwksCache } from '../../src/identity/jwks-cache.ts'

const key = (kid: string) => ({ ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid })

let fetches = 0
let answer: () => JSONWebKeySet | Promise<JSONWebKeySet>

function createCache() {
  const { refresh, getKey } = createJwksCache('https://id.example', async () => {
    fetches += 1
    return await answer()
  })
  return { refresh, find: (kid: string) => getKey({ alg: 'EdDSA', kid }) }
}

const pass = (ms: number) => vi.setSystemTime(Date.now() + ms)

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] })
  fetches = 0
  answer = () => ({ keys: [key('first')] }) as JSONWebKeySet
})
afterEach(() => vi.useRealTimers())
const outage = () => {
  throw new Error('down')
}

describe('the cache of the provider’s keys', () => {
  it('fetches when first needed, once for all waiting callers', async () => {
    const { find } = createCache()
    await Promise.all(Array.from({ length: 50 }, () => find('first')))
    expect(fetches).toBe(1)
  })

  it('fetches unknown keys at most once in 30 s, counted from the last attempt of any caller (A3)', async () => {
    const { find, refresh } = createCache()
    await refresh()
    pass(29_999)
    for (let i = 0; i < 1000; i++) await expect(find(`unknown-${i}`)).rejects.toThrow()
    expect(fetches).toBe(1)
    pass(1)
    await Promise.allSettled(Array.from({ length: 1000 }, (_, i) => find(`unknown-${i}`)))
    expect(fetches).toBe(2)
    answer = outage
    pass(30_000)
    await expect(find('unknown')).rejects.toThrow()
    pass(29_999)
    await expect(find('unknown')).rejects.toThrow()
    expect(fetches).toBe(3)
  })

  it('uses the last good set for 24 h of outage, then returns unavailable, and recovers', async () => {
    const { find, refresh } = createCache()
    await find('first')
    answer = outage
    pass(24 * 3_600_000 - 1)
    await expect(refresh()).rejects.toMatchObject({ code: 'unavailable' })
    await expect(find('first')).resolves.toBeDefined()
    pass(30_001)
    await expect(find('first')).rejects.toMatchObject({ code: 'unavailable' })
    answer = () => ({ keys: [key('first')] }) as JSONWebKeySet
    pass(30_000)
    await expect(find('first')).resolves.toBeDefined()
  })

  it('returns unavailable, never an invalid key, before the first successful fetch', async () => {
    answer = outage
    const { find } = createCache()
    await expect(find('first')).rejects.toMatchObject({ code: 'unavailable' })
    await expect(find('first')).rejects.toMatchObject({ code: 'unavailable' })
    expect(fetches).toBe(1)
  })

  it('retries within a second while it has no set, for a provider that starts later', async () => {
    answer = outage
    const { find, refresh } = createCache()
    await expect(refresh()).rejects.toMatchObject({ code: 'unavailable' })
    answer = () => ({ keys: [key('first')] }) as JSONWebKeySet
    pass(1_000)
    await expect(find('first')).resolves.toBeDefined()
  })
})
