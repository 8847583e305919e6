import { startIdentityProvider } from '@tideport/testing/identity-provider'
import { beforeAll, expect, test } from 'vitest'
import { accountId, createKey, createVault, withToken } from './support/account.ts'
import { createApiClient } from './support/api-client.ts'
import { fillPath, guardedHeads, guardedOperations, operations } from './support/operations.ts'
import { downloadBytes, fetchBytes, publicFileUrl } from './support/reading.ts'
import type { ErrorBody } from './support/resources.ts'
import { startTestStack } from './support/start-test-stack.ts'
import { uniqueBytes, uploadFile } from './support/uploads.ts'

let provider: Awaited<ReturnType<typeof startIdentityProvider>>
let stack: Awaited<ReturnType<typeof startTestStack>>

/** A system as it runs outside development, for browser sessions of a real OpenID provider. */
beforeAll(async () => {
  provider = await startIdentityProvider()
  stack = await startTestStack({
    env: {
      SERVICE_ENV: 'production',
      IDENTITY_PROVIDER_ISSUER: provider.issuer,
      IDENTITY_PROVIDER_AUDIENCE: provider.audience,
    },
  })
  return async () => {
    await stack[Symbol.asyncDispose]()
    await provider.dispose()
  }
})

const nobody = (headers: Record<string, string> = {}) =>
  createApiClient(stack.describe().gatewayUrls[0] as string, headers)
const session = async (subject: string, algorithm: 'RS256' | 'ES256' | 'EdDSA' = 'RS256') =>
  withToken(nobody(), await provider.issueToken({ subject, algorithm }))

test('every non-public route returns 401 without credentials, and development headers have no effect', async () => {
  const { firstUserId } = stack.describe()
  const someone = await accountId(await session('someone'))
  const attempts: Record<string, string>[] = [
    {},
    { 'X-Dev-User-Id': firstUserId },
    { 'X-Dev-User-Id': someone },
    { 'X-Dev-Provider-Id': 'someone' },
    { 'X-Dev-User-Id': someone, 'X-Dev-Provider-Id': 'someone' },
  ]
  for (const headers of attempts) {
    for (const operation of guardedOperations) {
      const answer = await nobody(headers).call<ErrorBody>(operation.method, fillPath(operation))
      const what = `${operation.id} with ${JSON.stringify(headers)}`
      expect([answer.status, answer.body], what).toEqual([401, { error: expect.any(String), code: 'unauthenticated' }])
      expect(answer.headers.get('www-authenticate'), what).toBe('Bearer')
    }
    for (const operation of guardedHeads) {
      const answer = await nobody(headers).call<ErrorBody>(operation.method, fillPath(operation))
      expect([answer.status, answer.headers.get('www-authenticate')], operation.id).toEqual([401, 'Bearer'])
    }
  }
})

test('development headers do not change the caller of a valid token', async () => {
  const caller = await session('caller')
  const victim = await accountId(await session('victim'))
  const headers = { ...caller.identity, 'X-Dev-User-Id': victim, 'X-Dev-Provider-Id': 'victim' }
  expect(await accountId(nobody(headers))).toBe(await accountId(caller))
})

test('the public routes need no authentication', async () => {
  for (const operation of operations.filter(({ scope }) => scope === null)) {
    const { status } = await nobody().call(operation.method, fillPath(operation))
    expect([200, 400, 404], operation.id).toContain(status)
  }
})

test('a JWT of the identity provider opens the same account with its default vault each time', async () => {
  const subject = `user-${crypto.randomUUID()}`
  const sessions = [await session(subject), await session(subject, 'ES256'), await session(subject, 'EdDSA')]
  const ids = await Promise.all(sessions.map(accountId))
  expect(new Set(ids).size).toBe(1)
  const { body } = await (sessions[0] as (typeof sessions)[number]).get<{ vaults: { slug: string }[] }>('/api/vaults')
  expect(body.vaults).toMatchObject([{ slug: 'default' }])
  expect(await accountId(await session('another'))).not.toBe(ids[0])
})

test('returns 401 for JWTs that are expired, forged, or for another audience', async () => {
  const now = Math.floor(Date.now() / 1000)
  const claims = { iss: provider.issuer, aud: provider.audience, sub: 'intruder', iat: now, exp: now + 600 }
  expect((await withToken(nobody(), provider.sign(claims)).get('/api/account')).status).toBe(200)
  const [head, , signature] = provider.sign(claims).split('.')
  const otherClaims = Buffer.from(JSON.stringify({ ...claims, sub: 'admin' })).toString('base64url')
  const unsigned = Buffer.from(JSON.stringify({ alg: 'none' })).toString('base64url')
  const refused = {
    expired: provider.sign({ ...claims, exp: now - 60 }),
    'without expiry': provider.sign({ ...claims, exp: undefined }),
    'without subject': provider.sign({ ...claims, sub: undefined }),
    'of another issuer': provider.sign({ ...claims, iss: 'https://elsewhere.example' }),
    'for another audience': provider.sign({ ...claims, aud: 'another-service' }),
    'not valid yet': provider.sign({ ...claims, nbf: now + 600 }),
    'with a key nobody published': provider.sign(claims, { header: { kid: 'unknown' } }),
    'with other claims': `${head}.${otherClaims}.${signature}`,
    unsigned: `${unsigned}.${otherClaims}.`,
    'no JWT at all': 'abc.def.ghi',
  }
  for (const [what, token] of Object.entries(refused)) {
    const { status, body } = await withToken(nobody(), token).get<ErrorBody>('/api/account')
    expect([status, body], what).toEqual([401, { error: expect.any(String), code: 'unauthenticated' }])
  }
})

test('a session and its API key can do everything from upload to public read', async () => {
  const browser = await session(`user-${crypto.randomUUID()}`)
  const script = withToken(browser, (await createKey(browser)).key)
  const [vault, bytes] = [await createVault(browser, 'public'), uniqueBytes()]
  const { id } = await uploadFile(script, { vaultId: vault.id, bytes })
  expect((await downloadBytes(browser, id)).bytes).toEqual(bytes)
  expect((await fetchBytes(publicFileUrl(nobody(), id))).bytes).toEqual(bytes)
})

test('webhooks must be https', async () => {
  const owner = await session('hooked')
  for (const [scheme, status] of [
    ['http', 400],
    ['https', 201],
  ] as const) {
    const fields = { url: `${scheme}://receiver.example/`, events: ['file.hot'] }
    expect((await owner.post('/api/webhooks', fields)).status).toBe(status)
  }
})
