import { startIdentityProvider } from '@tideport/testing/identity-provider'
import { beforeAll, expect, test } from 'vitest'
import { accountId, createKey, createVault, withToken } from './support/account.ts'
import { createApiClient } from './support/api-client.ts'
import { fillPath, guardedHeads, guardedOperations, operations } from './support/operations.ts'
import { downloadBytes, fetchBytes, publicFileUrl } from './support/reading.ts'
import type { ErrorBody, Upload } from './support/resources.ts'
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
      RATE_LIMIT_PER_SECOND: '1000',
      RATE_LIMIT_BURST: '1000',
      ACCOUNT_QUOTA_BYTES: '100000',
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

test('every route but the public ones is 401 without credentials, and development headers do nothing', async () => {
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

test('development headers beside a valid token do not change who is calling', async () => {
  const caller = await session('caller')
  const victim = await accountId(await session('victim'))
  const headers = { ...caller.identity, 'X-Dev-User-Id': victim, 'X-Dev-Provider-Id': 'victim' }
  expect(await accountId(nobody(headers))).toBe(await accountId(caller))
})

test('the public routes take no authentication', async () => {
  for (const operation of operations.filter(({ scope }) => scope === null)) {
    const { status } = await nobody().call(operation.method, fillPath(operation))
    expect([200, 400, 404], operation.id).toContain(status)
  }
})

test('a JWT of the identity provider opens the same account each time, its default vault included', async () => {
  const subject = `user-${crypto.randomUUID()}`
  const sessions = [await session(subject), await session(subject, 'ES256'), await session(subject, 'EdDSA')]
  const ids = await Promise.all(sessions.map(accountId))
  expect(new Set(ids).size).toBe(1)
  const { body } = await (sessions[0] as (typeof sessions)[number]).get<{ vaults: { slug: string }[] }>('/api/vaults')
  expect(body.vaults).toMatchObject([{ slug: 'default' }])
  expect(await accountId(await session('another'))).not.toBe(ids[0])
})

test('JWTs that are expired, forged, or meant for somebody else are 401', async () => {
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

test('the main job works for a session and for the API key it made, from upload to public read', async () => {
  const browser = await session(`user-${crypto.randomUUID()}`)
  const script = withToken(browser, (await createKey(browser)).key)
  const [vault, bytes] = [await createVault(browser, 'public'), uniqueBytes()]
  const { id } = await uploadFile(script, { vaultId: vault.id, bytes })
  expect((await downloadBytes(browser, id)).bytes).toEqual(bytes)
  expect((await fetchBytes(publicFileUrl(nobody(), id))).bytes).toEqual(bytes)
})

test('every authenticated answer tells the rate limit, whatever came of the request', async () => {
  const client = await session('counted')
  const seen = new Set<number>()
  for (const operation of guardedOperations) {
    for (const body of [undefined, { name: 'x'.repeat(70_000) }]) {
      if (operation.method === 'GET' && body !== undefined) continue
      const { status, headers } = await client.call(operation.method, fillPath(operation), { body })
      const what = `${operation.id}: ${status}`
      expect(headers.get('ratelimit-limit'), what).toBe('1000')
      expect(Number(headers.get('ratelimit-remaining')), what).toBeLessThan(1000)
      expect(headers.get('ratelimit-reset'), what).toMatch(/^\d+$/)
      seen.add(status)
    }
  }
  expect([...seen]).toEqual(expect.arrayContaining([200, 400, 404, 413]))
})

test('a quota is reserved by an upload request and released by abort and purge, not by the trash', async () => {
  const owner = await session(`user-${crypto.randomUUID()}`)
  const vault = await createVault(owner, 'public')
  const request = (sizeBytes: number) =>
    owner.post<Upload & ErrorBody>('/api/files/upload', { name: 'a', mimeType: 'a/b', sizeBytes, vaultId: vault.id })
  const usage = async () =>
    (await owner.get<{ usage: { storageBytes: number; fileCount: number } }>('/api/account')).body.usage
  const atOnce = await Promise.all(Array.from({ length: 8 }, () => request(30_000)))
  const granted = atOnce.filter(({ status }) => status === 201)
  expect(granted).toHaveLength(3)
  const refused = atOnce.find(({ status }) => status !== 201)
  expect([refused?.status, refused?.body.code, refused?.body.details]).toEqual([
    403,
    'quota_exceeded',
    { quotaBytes: 100_000, storageBytes: 90_000 },
  ])
  expect(await usage()).toMatchObject({ storageBytes: 90_000, fileCount: 3 })
  for (const { body } of granted) expect((await owner.delete(`/api/files/${body.fileId}`)).status).toBe(200)
  expect(await usage()).toMatchObject({ storageBytes: 0, fileCount: 0 })

  const { id } = await uploadFile(owner, { vaultId: vault.id, bytes: uniqueBytes(100_000) })
  await owner.delete(`/api/files/${id}`)
  expect([(await request(1)).status, (await usage()).storageBytes]).toEqual([403, 100_000])
  await owner.delete(`/api/files/${id}?permanent=true`)
  expect([(await usage()).storageBytes, (await request(100_000)).status]).toEqual([0, 201])
})

test('webhooks must be https', async () => {
  const owner = await session('hooked')
  const create = (url: string) => owner.post<ErrorBody>('/api/webhooks', { url, events: ['file.hot'] })
  expect((await create('http://receiver.example/')).status).toBe(400)
  expect((await create('https://receiver.example/')).status).toBe(201)
})
