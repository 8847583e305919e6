import type { HeldLimits } from '@tideport/contracts/internal/key-limits'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { type Account, type Key, path, startAuth } from '../bundle.ts'

const auth = setUpOnce(startAuth)

const none = { vaultIds: null, prefixes: null, verbs: null, bytesPerDay: null, addresses: null }
const [one, two] = [crypto.randomUUID(), crypto.randomUUID()]

const make = (maker: Account, limits?: object | null) => auth.make(maker, { limits })
const makeKey = (maker: Account, limits?: object | null) => auth.makeKey(maker, { limits })
const verify = async (key: Key) => (await auth.verify(key)).body

describe('limits of a key', () => {
  it('are returned to the owner and to the gateway', async () => {
    const owner = await auth.account()
    const limits = {
      ...none,
      vaultIds: [one],
      verbs: ['read', 'upload'],
      bytesPerDay: 1000,
      addresses: ['192.0.2.0/24'],
    }
    const key = await makeKey(owner, limits)
    expect(key.limits).toEqual(limits)
    expect((await auth.call(owner, 'GET', `${path}/${key.id}`)).body.limits).toEqual(limits)
    const budgets = [{ id: key.id, bytesPerDay: 1000 }]
    const told = {
      limits: { vaultIds: [one], prefixes: null, verbs: ['read', 'upload'], budgets },
      addresses: ['192.0.2.0/24'],
    }
    expect(await verify(key)).toMatchObject(told)
    for (const nothing of [undefined, null, {}, { vaultIds: null }]) {
      const free = await makeKey(owner, nothing)
      expect(free.limits).toBeNull()
      expect(Object.keys(await verify(free))).not.toContain('limits')
    }
    const { events } = (await auth.call(owner, 'GET', '/api/account/events?kind=key.created')).body
    expect(events.at(-1).details).toMatchObject(limits)
  })

  it.each([
    { vaultIds: [] },
    { vaultIds: ['mine'] },
    { vaultIds: Array.from({ length: 51 }, () => crypto.randomUUID()) },
    { verbs: ['write'] },
    { bytesPerDay: 0 },
    { addresses: ['192.0.2.0/33'] },
    { addresses: ['somewhere'] },
    { addresses: ['::ffff:192.0.2.0/90'] },
    { prefixes: [] },
    { prefixes: [''] },
    { prefixes: ['a\0'] },
    { prefixes: Array.from({ length: 21 }, () => 'a/') },
    { prefixes: ['é'.repeat(512), 'a'] },
    { vaultIDs: [one] },
  ])('are rejected with 400 if invalid: %j', async (limits) => {
    expect((await make(await auth.account(), limits)).status).toBe(400)
  })

  it('must be within the limits of the parent key, and are inherited', async () => {
    const addresses = ['192.0.2.0/24', '2001:db8::/32', '::ffff:198.51.100.0/120']
    const held = {
      vaultIds: [one, two],
      prefixes: ['2026/', 're\u0301'],
      verbs: ['read', 'delete'],
      bytesPerDay: 1000,
      addresses,
    }
    const parent = await makeKey(await auth.account(), held)
    const maker = await auth.userOf(parent)
    const composed = { ...held, prefixes: ['2026/', 'r\u00e9'] }
    expect((await makeKey(maker)).limits).toEqual(composed)
    expect((await makeKey(maker, none)).limits).toEqual(composed)
    const addressesWithin = ['192.0.2.7', '2001:db8:1::/48']
    const prefixes = ['2026/photos/', 'r\u00e9sum']
    const narrower = { vaultIds: [two], prefixes, verbs: ['read'], bytesPerDay: 999, addresses: addressesWithin }
    expect((await makeKey(maker, narrower)).limits).toEqual(narrower)
    for (const [limit, wanted] of Object.entries({
      vaultIds: [one, crypto.randomUUID()],
      prefixes: ['2026/', '2026'],
      verbs: ['upload'],
      bytesPerDay: 1001,
      addresses: ['192.0.0.0/16'],
    })) {
      const refused = await make(maker, { [limit]: wanted })
      expect(refused).toMatchObject({ status: 403, body: { code: 'outside_key_limits', details: { limit } } })
    }
    for (const address of ['192.0.3.1', '2001:db9::/32', '::/0', '0.0.0.0/0'])
      expect((await make(maker, { addresses: [address] })).status).toBe(403)
  })

  it('count bytes in the limits of all ancestor keys', async () => {
    const root = await makeKey(await auth.account(), { bytesPerDay: 1000 })
    const child = await makeKey(await auth.userOf(root), { bytesPerDay: 500 })
    const grandchild = await makeKey(await auth.userOf(child), { verbs: ['read'] })
    const budgets = [
      { id: root.id, bytesPerDay: 1000 },
      { id: child.id, bytesPerDay: 500 },
    ]
    expect((await verify(grandchild)).limits).toEqual({ vaultIds: null, prefixes: null, verbs: ['read'], budgets })
    let deepest = child
    for (let depth = 3; depth <= 8; depth += 1)
      deepest = await makeKey(await auth.userOf(deepest), { bytesPerDay: 500 })
    expect((await make(await auth.userOf(deepest), { bytesPerDay: 1 })).status).toBe(400)
    expect((await make(await auth.userOf(deepest))).status).toBe(201)
  })

  it('hide other keys from a key that is limited to part of its account', async () => {
    const owner = await auth.account()
    const [other, parent] = [await makeKey(owner), await makeKey(owner, { vaultIds: [one] })]
    const maker = await auth.userOf(parent)
    const child = await makeKey(maker)
    const { apiKeys } = (await auth.call(maker, 'GET', path)).body
    expect(apiKeys.map(({ id }: Key) => id)).toEqual([child.id])
    for (const { id } of [other, parent]) {
      expect((await auth.call(maker, 'GET', `${path}/${id}`)).status).toBe(404)
      expect((await auth.call(maker, 'DELETE', `${path}/${id}`)).status).toBe(404)
      expect((await auth.call(maker, 'POST', `${path}/${id}/rotate`, { overlapSeconds: 0 })).status).toBe(404)
    }
    expect((await auth.call(maker, 'GET', '/api/account/events')).body.code).toBe('outside_key_limits')
    expect((await auth.call(maker, 'DELETE', `${path}/${child.id}`)).status).toBe(200)
    const limits: HeldLimits = { vaultIds: null, prefixes: null, verbs: null, budgets: [] }
    expect((await auth.call({ ...maker, limits }, 'GET', path)).body.apiKeys).toHaveLength(2)
  })
})
