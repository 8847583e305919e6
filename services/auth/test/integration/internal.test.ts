import { hash } from 'node:crypto'
import { setUpOnce } from '@tideport/testing/set-up-once'
import { waitFor } from '@tideport/testing/wait-for'
import { describe, expect, it } from 'vitest'
import { startAuth } from '../bundle.ts'

const auth = setUpOnce(startAuth)

async function createKey(input: object = {}) {
  const owner = await auth.account()
  const key = await auth.makeKey(owner, input)
  return { owner, ...key, digest: hash('sha256', key.key), verify: () => auth.verify(key) }
}

describe('POST /internal/api-keys/verify', () => {
  it('returns the account and scopes of a key', async () => {
    const { owner, id, keyPrefix, verify } = await createKey({ scopes: ['files:read'] })
    expect(await verify()).toEqual({
      status: 200,
      body: {
        kind: 'account',
        accountId: owner.accountId,
        method: 'api_key',
        keyId: id,
        keyPrefix,
        scopes: ['files:read'],
        usableMs: 0,
      },
    })
  })

  it('rejects unknown, expired, and revoked keys with their own codes, revoked before expired', async () => {
    const digest = hash('sha256', 'never made')
    const unknown = await auth.ask('/internal/api-keys/verify', { digest })
    expect(unknown).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })

    const { owner, id, verify } = await createKey({ expiresInDays: 1 })
    expect((await verify()).status).toBe(200)
    await auth.sql('update api_key set expires_at = now() where id = $1', [id])
    expect(await verify()).toMatchObject({ status: 401, body: { code: 'api_key_expired' } })
    await auth.call(owner, 'DELETE', `/api/auth/api-keys/${id}`)
    expect(await verify()).toMatchObject({ status: 401, body: { code: 'api_key_revoked' } })
  })

  it('checks expiry only by the database clock (A8)', async () => {
    const { id, verify } = await createKey({ expiresInDays: 1 })
    const realNow = Date.now
    try {
      Date.now = () => realNow() - 600_000
      await auth.sql(`update api_key set expires_at = now() - interval '1 second' where id = $1`, [id])
      expect(await verify()).toMatchObject({ status: 401, body: { code: 'api_key_expired' } })
      await auth.sql(`update api_key set expires_at = now() + interval '1 hour' where id = $1`, [id])
      expect((await verify()).status).toBe(200)
    } finally {
      Date.now = realNow
    }
  })

  it('records the last use at most once a minute', async () => {
    const { id, verify } = await createKey()
    const lastUsed = async () => (await auth.sql('select last_used_at, xmin from api_key where id = $1', [id]))[0]
    await Promise.all(Array.from({ length: 20 }, verify))
    const first = await waitFor(async () => ((await lastUsed())?.last_used_at ? await lastUsed() : null))
    await Promise.all(Array.from({ length: 20 }, verify))
    expect(await lastUsed()).toEqual(first)
    await auth.sql(`update api_key set last_used_at = now() - interval '61 seconds' where id = $1`, [id])
    const stale = await lastUsed()
    await verify()
    await waitFor(async () => (await lastUsed())?.last_used_at > stale?.last_used_at)
  })

  it('accepts only the gateway', async () => {
    const { owner } = await createKey()
    const body = { digest: hash('sha256', 'x') }
    for (const principal of [owner, { kind: 'public' } as const]) {
      const paths = ['api-keys/verify', 'api-keys/recheck', 'accounts/resolve', 'accounts/find']
      for (const path of paths) {
        expect(await auth.call(principal, 'POST', `/internal/${path}`, body)).toMatchObject({ status: 401 })
      }
    }
    const direct = await auth.app.inject({ method: 'POST', url: '/internal/accounts/find', payload: {} })
    expect(direct.statusCode).toBe(401)
  })
})

it('POST /internal/api-keys/recheck returns the state of each key, in order, and records no use', async () => {
  const [valid, expired, revoked] = [await createKey(), await createKey({ expiresInDays: 1 }), await createKey()]
  await auth.sql('update api_key set expires_at = now() where id = $1', [expired.id])
  await auth.call(revoked.owner, 'DELETE', `/api/auth/api-keys/${revoked.id}`)
  const digests = [expired.digest, valid.digest, hash('sha256', 'never made'), revoked.digest, valid.digest]
  const { status, body } = await auth.ask('/internal/api-keys/recheck', { digests })
  expect(status).toBe(200)
  const codes = body.keys.map((key: { refusal?: { code: string } }) => key.refusal?.code)
  expect(codes).toEqual(['api_key_expired', undefined, 'unauthenticated', 'api_key_revoked', undefined])
  expect(await auth.sql('select last_used_at from api_key where id = $1', [valid.id])).toEqual([{ last_used_at: null }])
})

describe('POST /internal/accounts/resolve', () => {
  it('creates one account for 30 simultaneous first logins, and separate accounts per issuer', async () => {
    const resolve = (issuer: string) =>
      auth.ask('/internal/accounts/resolve', { issuer, subject: 'ann', method: 'jwt', clientAddress: null })
    const answers = await Promise.all(Array.from({ length: 30 }, () => resolve('https://one.test')))
    expect(new Set(answers.map(({ status, body }) => `${status} ${body.accountId}`)).size).toBe(1)
    const other = await resolve('https://two.test')
    expect(other.body.accountId).not.toBe(answers[0]?.body.accountId)
    expect(answers[0]?.body.accountId).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/)
  })
})

describe('POST /internal/accounts/find', () => {
  it('finds the first account by creation time and ID, finds an account by ID, and returns 401 for none', async () => {
    const find = (accountId?: string) => auth.ask('/internal/accounts/find', { accountId })
    expect(await find()).toMatchObject({ status: 401, body: { code: 'unauthenticated' } })
    const [a, b, c] = [await auth.account(), await auth.account(), await auth.account()]
    await auth.sql(`update account set created_at = '2020-01-01Z' where id = any($1)`, [[b.accountId, c.accountId]])
    expect(await find()).toEqual({ status: 200, body: { accountId: b.accountId } })
    expect(await find(a.accountId)).toEqual({ status: 200, body: { accountId: a.accountId } })
    for (const unknown of ['', 'nonsense', '\0', '0198f2a0-0000-7000-8000-000000000001']) {
      expect(await find(unknown)).toMatchObject({ status: 401 })
    }
  })
})
