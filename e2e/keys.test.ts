import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createKey, createVault, withToken } from './support/account.ts'
import type { ApiClient } from './support/api-client.ts'
import { letKeyExpire, tablesThatContain } from './support/database.ts'
import { fillPath, guardedOperations, type Operation } from './support/operations.ts'
import type { ApiKey, ErrorBody } from './support/resources.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'

const scopes = [...new Set(guardedOperations.map(({ scope }) => scope as string))]

/** A new account's key with these scopes, and a client that uses it. */
async function keyHolder(options: object = {}) {
  const owner = freshAccount()
  const key = await createKey(owner, options)
  return { owner, key, holder: withToken(owner, key.key) }
}

const callWith = (client: ApiClient, operation: Operation) => {
  const needsBody = ['POST', 'PATCH'].includes(operation.method) && !/confirm|test$/.test(operation.path)
  return client.call<ErrorBody>(operation.method, fillPath(operation), needsBody ? { body: {} } : {})
}

test('a key is shown in full in the creation answer and never again; it authenticates its account', async () => {
  const { owner, key, holder } = await keyHolder({ name: 'Laptop' })
  expect(key.key).toMatch(/^tdp_[0-9A-Za-z]{49}$/)
  expect(key).toMatchObject({ name: 'Laptop', scopes: null, expiresAt: null, revoked_at: null })
  const account = await owner.get('/api/account')
  expect((await holder.get('/api/account')).body).toEqual(account.body)
  const listed = await owner.get<{ apiKeys: ApiKey[] }>('/api/auth/api-keys')
  const read = await owner.get<ApiKey>(`/api/auth/api-keys/${key.id}`)
  expect(listed.body.apiKeys.map(({ id }) => id)).toEqual([key.id])
  expect(read.body).toMatchObject({ id: key.id, name: 'Laptop', keyPrefix: key.key.slice(0, 8) })
  for (const { text } of [listed, read]) expect(text).not.toContain(key.key.slice(8))
})

test('the server stores only the SHA-256 digest of a key', async () => {
  const { key } = await keyHolder()
  expect(await tablesThatContain(sharedStack(), key.key.slice(12))).toEqual([])
  const digest = createHash('sha256').update(key.key).digest('hex')
  expect(await tablesThatContain(sharedStack(), digest)).toEqual(['auth.api_key'])
})

test('a key with expiresInDays has that expiration and is 401 from then on', async () => {
  const { key, holder } = await keyHolder({ expiresInDays: 30 })
  const days = (Date.parse(key.expiresAt as string) - Date.now()) / 86_400_000
  expect(days).toBeGreaterThan(29.9)
  expect(days).toBeLessThan(30.1)
  expect((await holder.get('/api/account')).status).toBe(200)
  await letKeyExpire(sharedStack(), key.id)
  await expect.poll(async () => (await holder.get<ErrorBody>('/api/account')).body.code).toBe('api_key_expired')
  const refused = await holder.get<ErrorBody>('/api/account')
  expect([refused.status, typeof refused.body.error]).toEqual([401, 'string'])
})

test('revoking sets revoked_at, can be repeated, and keeps the record', async () => {
  const { owner, key, holder } = await keyHolder()
  const path = `/api/auth/api-keys/${key.id}`
  const revoked = await owner.delete<ApiKey>(path)
  expect([revoked.status, revoked.body.revoked_at]).toEqual([200, expect.stringMatching(/^\d{4}-.+\.\d{3}Z$/)])
  expect((await owner.delete(path)).body).toEqual(revoked.body)
  expect((await owner.get(path)).body).toEqual(revoked.body)
  const refused = await holder.get<ErrorBody>('/api/account')
  expect([refused.status, refused.body.code, typeof refused.body.error]).toEqual([401, 'api_key_revoked', 'string'])
  expect((await owner.get<{ apiKeys: ApiKey[] }>('/api/auth/api-keys')).body.apiKeys).toEqual([])
  const all = await owner.get<{ apiKeys: ApiKey[] }>('/api/auth/api-keys?includeRevoked=true')
  expect(all.body.apiKeys).toEqual([revoked.body])
})

test('a key that is made with a key ends no later than that one, and is revoked with it', async () => {
  const { owner, key, holder } = await keyHolder({ expiresInDays: 1, scopes: ['keys:write', 'account:read'] })
  const made = await createKey(holder, { expiresInDays: 30, scopes: ['keys:write', 'account:read'] })
  const makers = withToken(owner, made.key)
  const grandchild = await createKey(makers, { scopes: ['account:read'] })
  for (const { expiresAt } of [made, grandchild]) expect(expiresAt).toBe(key.expiresAt)
  expect([key.parentId, made.parentId, grandchild.parentId]).toEqual([null, key.id, made.id])
  const last = withToken(owner, grandchild.key)
  expect((await last.get('/api/account')).status).toBe(200)
  await owner.delete(`/api/auth/api-keys/${key.id}`)
  for (const revoked of [holder, makers, last]) {
    expect((await revoked.get<ErrorBody>('/api/account')).body.code).toBe('api_key_revoked')
  }
})

test('a revoked key fails on the very next request, 200 times over two gateways', async () => {
  const owner = freshAccount()
  const gateways = sharedStack().gatewayUrls
  for (let round = 0; round < 200; round += 50)
    await Promise.all(Array.from({ length: 50 }, (_, i) => revokeOnce(round + i)))

  async function revokeOnce(round: number) {
    const key = await createKey(owner)
    const holders = gateways.map((url) => withToken(owner, key.key, url))
    for (const holder of holders) expect((await holder.get('/api/vaults')).status).toBe(200)
    await withToken(owner, key.key, gateways[round % 2]).delete(`/api/auth/api-keys/${key.id}`)
    const next = holders[(round + 1) % 2] as ApiClient
    expect((await next.get('/api/vaults')).status, `round ${round}`).toBe(401)
  }
})

/** What writes what it reads asks for both. */
const alsoNeeded: Record<string, string> = { exportAccount: 'files:read' }

test('a key with one scope passes exactly the routes of that scope', async () => {
  for (const scope of scopes) {
    const { holder } = await keyHolder({ scopes: [scope] })
    for (const operation of guardedOperations) {
      const { status, body } = await callWith(holder, operation)
      const what = `${operation.id} with ${scope}`
      const lacked = operation.scope === scope ? alsoNeeded[operation.id] : operation.scope
      if (lacked === undefined) expect([401, 403], what).not.toContain(status)
      else
        expect([status, body.code, body.details], what).toEqual([403, 'insufficient_scope', { requiredScope: lacked }])
    }
  }
})

test('files:write allows uploading and nothing that reads or manages', async () => {
  const { owner, holder } = await keyHolder({ scopes: ['files:write'] })
  const { id } = await createVault(owner, 'public')
  const upload = { name: 'a', mimeType: 'text/plain', sizeBytes: 1, vaultId: id }
  expect((await holder.post('/api/files/upload', upload)).status).toBe(201)
  expect((await holder.get('/api/files')).status).toBe(403)
  expect((await holder.post('/api/vaults', { name: 'More', visibility: 'public' })).status).toBe(403)
})

test('a key cannot create one with more scopes than its own', async () => {
  const { holder } = await keyHolder({ scopes: ['keys:write', 'files:read'] })
  const create = (granted?: string[]) => holder.post<ErrorBody>('/api/auth/api-keys', { name: 'More', scopes: granted })
  expect((await create(['files:read'])).status).toBe(201)
  for (const wider of [undefined, ['files:write'], ['files:read', 'account:read']]) {
    const refused = await create(wider)
    expect([refused.status, refused.body.code], String(wider)).toEqual([403, 'insufficient_scope'])
  }
})

test('keys with a wrong name, scope or lifetime are refused with 400', async () => {
  const owner = freshAccount()
  const wrong = [
    ...[undefined, '', 'x'.repeat(101), 7, 'a\nb'].map((name) => ({ name })),
    ...[[], ['files:everything'], 'files:write'].map((value) => ({ name: 'a', scopes: value })),
    ...[0, -1, 1.5, 3651, '7'].map((expiresInDays) => ({ name: 'a', expiresInDays })),
  ]
  for (const body of wrong) {
    const refused = await owner.post<ErrorBody>('/api/auth/api-keys', body)
    expect([refused.status, refused.body.code], JSON.stringify(body)).toEqual([400, 'validation_failed'])
  }
})
