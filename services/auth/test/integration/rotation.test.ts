import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { type Account, type Key, path, startAuth } from '../bundle.ts'

const MOST_MS = 400
const auth = setUpOnce(() => startAuth({ revocationWaitMs: MOST_MS }))

const rotate = (by: Account, { id }: Key, overlapSeconds = 3600) =>
  auth.call(by, 'POST', `${path}/${id}/rotate`, { overlapSeconds })
const read = async (owner: Account, { id }: Key): Promise<Key> => (await auth.call(owner, 'GET', `${path}/${id}`)).body
const secondsOf = ({ createdAt, expiresAt }: Key) => (Date.parse(expiresAt ?? '') - Date.parse(createdAt)) / 1000

describe('POST /api/auth/api-keys/{id}/rotate', () => {
  it('creates a key with the same rights, limits, and lifetime, and expires the old one after the overlap', async () => {
    const owner = await auth.account()
    const limits = { vaultIds: null, prefixes: null, verbs: ['read'], bytesPerDay: 1000, addresses: null }
    const old = await auth.makeKey(owner, { scopes: ['files:read'], limits, expiresInDays: 7 })
    const { status, body: made } = await rotate(owner, old)
    expect([status, made.name, made.scopes, made.limits]).toEqual([201, 'k', ['files:read'], limits])
    expect(secondsOf(made)).toBeCloseTo(7 * 86_400, 0)
    const { expiresAt } = await read(owner, old)
    expect((Date.parse(expiresAt ?? '') - Date.parse(made.createdAt)) / 1000).toBeCloseTo(3600, 0)
    for (const key of [old, made]) expect((await auth.verify(key)).status).toBe(200)
    // Both keys share the daily byte limit.
    expect((await auth.verify(made)).body.limits).toEqual((await auth.verify(old)).body.limits)
    const { events } = (await auth.call(owner, 'GET', '/api/account/events?limit=2')).body
    expect(events).toMatchObject([
      { kind: 'key.rotated', subjectId: old.id, details: { newKeyId: made.id, expiresAt } },
      { kind: 'key.created', subjectId: made.id },
    ])
  })

  it('can be repeated without extending the old key', async () => {
    const owner = await auth.account()
    const old = await auth.makeKey(owner)
    await rotate(owner, old, 3600)
    const { expiresAt } = await read(owner, old)
    const { body: again } = await rotate(owner, old, 86_400)
    expect([again.expiresAt, (await read(owner, old)).expiresAt]).toEqual([null, expiresAt])
  })

  it('responds without an overlap when every gateway rejects the old key', async () => {
    const owner = await auth.account()
    const old = await auth.makeKey(owner)
    const startedAt = performance.now()
    const { body: made } = await rotate(owner, old, 0)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(MOST_MS)
    expect((await auth.verify(old)).body.code).toBe('api_key_expired')
    expect((await auth.verify(made)).status).toBe(200)
    expect(await rotate(owner, old)).toMatchObject({ status: 409, body: { code: 'state_conflict' } })
  })

  it('expires the children of the old key with it, and logs this', async () => {
    const owner = await auth.account()
    const old = await auth.makeKey(owner)
    const child = await auth.makeKey(await auth.userOf(old))
    const brief = await auth.makeKey(await auth.userOf(child), { expiresInDays: 1 })
    await rotate(owner, old, 2 * 86_400)
    expect((await read(owner, child)).expiresAt).toBe((await read(owner, old)).expiresAt)
    expect((await read(owner, brief)).expiresAt).toBe(brief.expiresAt)
    const { events } = (await auth.call(owner, 'GET', '/api/account/events?kind=key.shortened')).body
    expect(events.map(({ subjectId }: { subjectId: string }) => subjectId)).toEqual([child.id])
  })

  it('accepts only a login or the parent key, whose expiry also limits the new key', async () => {
    const owner = await auth.account()
    const parent = await auth.makeKey(owner, { expiresInDays: 1 })
    const old = await auth.makeKey(await auth.userOf(parent))
    const stranger = await auth.makeKey(owner)
    for (const key of [old, stranger]) {
      const refused = await rotate(await auth.userOf(key), old)
      expect(refused).toMatchObject({ status: 403, body: { code: 'outside_key_limits', details: { limit: 'parent' } } })
    }
    for (const by of [await auth.userOf(parent), owner]) {
      const { body: made } = await rotate(by, old)
      expect(made).toMatchObject({ parentId: parent.id, expiresAt: parent.expiresAt })
    }
    expect((await rotate(await auth.account(), old)).status).toBe(404)
    await auth.call(owner, 'DELETE', `${path}/${parent.id}`)
    expect((await auth.call(owner, 'GET', path)).body.apiKeys).toMatchObject([{ id: stranger.id }])
  })
})
