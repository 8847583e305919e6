import { generateKeyPairSync } from 'node:crypto'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import type { FlattenedJWSInput, JSONWebKeySet } from 'jose'
import { beforeEach, describe, expect, it } from 'vitest'
import { createKeySetKeeper } from '../../src/identity/key-set-keeper.ts'

const log = createLogger({ service: 'test', level: 'silent' })
const key = (kid: string) => ({ ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid })
const token = {} as FlattenedJWSInput

let ms = 0
let fetches = 0
let answer: () => JSONWebKeySet | Promise<JSONWebKeySet>

function createKeeper() {
  const fetchKeySet = async () => {
    fetches += 1
    return await answer()
  }
  const keeper = createKeySetKeeper({ fetchKeySet, now: () => ms, log })
  return { refresh: keeper.refresh, find: (kid: string) => keeper.getKey({ alg: 'EdDSA', kid }, token) }
}

beforeEach(() => {
  ms = 0
  fetches = 0
  answer = () => ({ keys: [key('first')] }) as JSONWebKeySet
})
const outage = () => {
  throw new Error('down')
}

describe('the keeper of the provider’s keys', () => {
  it('fetches when first needed, once for everyone who waits', async () => {
    const { find } = createKeeper()
    await Promise.all(Array.from({ length: 50 }, () => find('first')))
    expect(fetches).toBe(1)
  })

  it('looks for unknown keys at most once in 30 s, counted from the last attempt, whoever made it (A3)', async () => {
    const { find, refresh } = createKeeper()
    await refresh()
    ms += 29_999
    for (let i = 0; i < 1000; i++) await expect(find(`unknown-${i}`)).rejects.toThrow()
    expect(fetches).toBe(1)
    ms += 1
    await Promise.allSettled(Array.from({ length: 1000 }, (_, i) => find(`unknown-${i}`)))
    expect(fetches).toBe(2)
    answer = outage
    ms += 30_000
    await expect(find('unknown')).rejects.toThrow()
    ms += 29_999
    await expect(find('unknown')).rejects.toThrow()
    expect(fetches).toBe(3)
  })

  it('takes a rotated key up within that time and drops a withdrawn one with the next refresh (A4)', async () => {
    const { find, refresh } = createKeeper()
    await find('first')
    answer = () => ({ keys: [key('second')] }) as JSONWebKeySet
    ms += 30_000
    await expect(find('second')).resolves.toBeDefined()
    await refresh()
    await expect(find('first')).rejects.toThrow()
  })

  it('lives on the last good set for 24 h of outage, then says unavailable, and recovers', async () => {
    const { find, refresh } = createKeeper()
    await find('first')
    answer = outage
    ms += 24 * 3_600_000
    await refresh()
    await expect(find('first')).resolves.toBeDefined()
    ms += 30_001
    await expect(find('first')).rejects.toMatchObject({ code: 'unavailable' })
    answer = () => ({ keys: [key('first')] }) as JSONWebKeySet
    ms += 30_000
    await expect(find('first')).resolves.toBeDefined()
  })

  it('says unavailable, never that a key is wrong, while no set was ever had', async () => {
    answer = outage
    const { find } = createKeeper()
    await expect(find('first')).rejects.toMatchObject({ code: 'unavailable' })
    await expect(find('first')).rejects.toMatchObject({ code: 'unavailable' })
    expect(fetches).toBe(1)
  })

  it('asks again within a second while it has no set, for a provider that comes up after it', async () => {
    answer = outage
    const { find, refresh } = createKeeper()
    await refresh()
    answer = () => ({ keys: [key('first')] }) as JSONWebKeySet
    ms += 1_000
    await expect(find('first')).resolves.toBeDefined()
  })
})
