import { hash } from 'node:crypto'
import { scopes as allScopes, type Scope } from '@tideport/contracts/endpoint/scope'
import { isWellFormedApiKey } from '@tideport/contracts/public/api-key-format'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { describe, expect, it } from 'vitest'
import { path, startAuth } from '../bundle.ts'

const auth = setUpOnce(startAuth)

describe('POST /api/auth/api-keys', () => {
  it('returns the key once and stores only its SHA-256 digest (spec §5.1, §5.2)', async () => {
    const owner = await auth.account()
    const { status, body } = await auth.call(owner, 'POST', path, {
      name: 'ci',
      scopes: ['files:write', 'files:write'],
    })
    expect(status).toBe(201)
    expect(isWellFormedApiKey(body.key)).toBe(true)
    expect(body).toMatchObject({
      name: 'ci',
      scopes: ['files:write'],
      keyPrefix: body.key.slice(0, 8),
      revoked_at: null,
    })
    const [row] = await auth.sql('select * from api_key where id = $1', [body.id])
    expect(row?.digest.toString('hex')).toBe(hash('sha256', body.key))
    expect(JSON.stringify(row)).not.toContain(body.key.slice(8))
    const listed = await auth.call(owner, 'GET', path)
    const read = await auth.call(owner, 'GET', `${path}/${body.id}`)
    for (const { body: later } of [listed, read]) expect(JSON.stringify(later)).not.toContain(body.key)
  })

  it('counts expiresInDays in days of 24 hours on the database clock', async () => {
    const owner = await auth.account()
    const { body } = await auth.call(owner, 'POST', path, { name: 'k', expiresInDays: 3650 })
    expect(Date.parse(body.expiresAt) - Date.parse(body.createdAt)).toBe(3650 * 86_400_000)
    const forever = await auth.make(owner)
    expect(forever.body).toMatchObject({ expiresAt: null, scopes: null, lastUsedAt: null })
  })

  it.each([
    [{}],
    [{ name: '' }],
    [{ name: 'x'.repeat(101) }],
    [{ name: 'a\0b' }],
    [{ name: 'k', scopes: [] }],
    [{ name: 'k', scopes: ['files:fly'] }],
    [{ name: 'k', expiresInDays: 0 }],
    [{ name: 'k', expiresInDays: 3651 }],
    [{ name: 'k', expiresInDays: 1.5 }],
  ])('refuses %j with 400', async (body) => {
    expect(await auth.call(await auth.account(), 'POST', path, body)).toMatchObject({
      status: 400,
      body: { code: 'validation_failed' },
    })
  })

  it('lets a key grant only scopes that it has, and never full access (A12)', async () => {
    const owner = await auth.account()
    const scoped = (scopes: Scope[]) => ({ ...owner, method: 'api_key' as const, scopes })
    const held: Scope[] = ['keys:write', 'files:read']
    for (const scope of allScopes) {
      const { status, body } = await auth.call(scoped(held), 'POST', path, { name: 'k', scopes: [scope] })
      if (held.includes(scope)) expect(status).toBe(201)
      else
        expect({ status, body }).toMatchObject({
          status: 403,
          body: { code: 'insufficient_scope', details: { requiredScope: scope } },
        })
    }
    for (const scopes of [undefined, null, [...held, 'account:read']]) {
      expect(await auth.call(scoped(held), 'POST', path, { name: 'k', scopes })).toMatchObject({ status: 403 })
    }
    // A list of all current scopes is still not full access.
    expect(await auth.call(scoped([...allScopes]), 'POST', path, { name: 'k' })).toMatchObject({ status: 403 })
  })

  it('requires keys:write to create and revoke, and keys:read to list and read', async () => {
    const owner = await auth.account()
    const key = await auth.make(owner)
    const reader = { ...owner, scopes: ['keys:read'] as Scope[] }
    const writer = { ...owner, scopes: ['keys:write'] as Scope[] }
    const record = `${path}/${key.body.id}`
    const missing = (requiredScope: Scope) => ({
      status: 403,
      body: { code: 'insufficient_scope', details: { requiredScope } },
    })
    expect(await auth.call(reader, 'POST', path, { name: 'k', scopes: ['keys:read'] })).toMatchObject(
      missing('keys:write'),
    )
    expect(await auth.call(reader, 'DELETE', record)).toMatchObject(missing('keys:write'))
    expect(await auth.call(writer, 'GET', path)).toMatchObject(missing('keys:read'))
    expect(await auth.call(writer, 'GET', record)).toMatchObject(missing('keys:read'))
    expect((await auth.call(reader, 'GET', record)).status).toBe(200)
  })
})

describe('GET /api/auth/api-keys', () => {
  it('pages through everything exactly once, in any order, ties broken by id', async () => {
    const owner = await auth.account()
    const names = ['b', 'a', 'b', 'Ä', 'c', 'b', 'a']
    for (const name of names) await auth.call(owner, 'POST', path, { name })
    await auth.sql(`update api_key set created_at = '2026-01-01Z' where account_id = $1 and name = 'b'`, [
      owner.accountId,
    ])
    for (const sortBy of ['createdAt', 'name']) {
      for (const order of ['asc', 'desc']) {
        const seen: { id: string; name: string; createdAt: string }[] = []
        let cursor: string | null = ''
        while (cursor !== null) {
          const query: string = `sortBy=${sortBy}&order=${order}&limit=2${cursor && `&cursor=${cursor}`}`
          const { status, body } = await auth.call(owner, 'GET', `${path}?${query}`)
          expect(status).toBe(200)
          seen.push(...body.apiKeys)
          cursor = body.nextCursor
        }
        expect(new Set(seen.map(({ id }) => id)).size).toBe(names.length)
        const values = seen.map((key) => (sortBy === 'name' ? key.name : key.createdAt))
        const sorted = values.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
        expect(values).toEqual(order === 'asc' ? sorted : sorted.toReversed())
      }
    }
  })

  it('refuses a cursor of another list and clamps the limit', async () => {
    const owner = await auth.account()
    for (const name of ['a', 'b']) await auth.call(owner, 'POST', path, { name })
    const { body } = await auth.call(owner, 'GET', `${path}?limit=1`)
    for (const query of ['sortBy=name', 'order=asc', 'includeRevoked=true', '', 'limit=0']) {
      const cursor = query === '' ? 'nonsense' : body.nextCursor
      expect(await auth.call(owner, 'GET', `${path}?${query}&cursor=${cursor}`)).toMatchObject({ status: 400 })
    }
    expect(await auth.call(owner, 'GET', `${path}?limit=100000`)).toMatchObject({
      status: 200,
      body: { nextCursor: null },
    })
  })

  it('shows an account only its own keys, and revoked ones on request', async () => {
    const [owner, stranger] = [await auth.account(), await auth.account()]
    const kept = await auth.call(owner, 'POST', path, { name: 'kept' })
    const gone = await auth.call(owner, 'POST', path, { name: 'gone' })
    await auth.call(owner, 'DELETE', `${path}/${gone.body.id}`)
    const ids = async (who: typeof owner, query = '') =>
      (await auth.call(who, 'GET', path + query)).body.apiKeys.map(({ id }: { id: string }) => id)
    expect(await ids(owner)).toEqual([kept.body.id])
    expect(await ids(owner, '?includeRevoked=true&order=asc')).toEqual([kept.body.id, gone.body.id])
    expect(await ids(stranger, '?includeRevoked=true')).toEqual([])
  })
})

describe('DELETE /api/auth/api-keys/{id}', () => {
  it('sets revoked_at once and returns the same response when repeated', async () => {
    const owner = await auth.account()
    const key = await auth.make(owner)
    const first = await auth.call(owner, 'DELETE', `${path}/${key.body.id}`)
    expect(first).toMatchObject({ status: 200, body: { id: key.body.id, revoked_at: expect.stringMatching(/Z$/) } })
    expect(await auth.call(owner, 'DELETE', `${path}/${key.body.id}`)).toEqual(first)
  })

  it('returns the same 404 for unknown, malformed, and foreign IDs, and revokes nothing', async () => {
    const [owner, stranger] = [await auth.account(), await auth.account()]
    const key = await auth.make(owner)
    const answers = new Set<string>()
    for (const id of [key.body.id, '0198f2a0-0000-7000-8000-000000000001', 'nonsense', '%00']) {
      for (const method of ['GET', 'DELETE']) {
        answers.add(JSON.stringify(await auth.call(stranger, method, `${path}/${id}`)))
      }
    }
    expect([...answers]).toEqual([JSON.stringify({ status: 404, body: { error: 'Not found', code: 'not_found' } })])
    expect(await auth.call(owner, 'GET', `${path}/${key.body.id}`)).toMatchObject({ body: { revoked_at: null } })
  })
})
