import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { createKey, withToken } from './support/account.ts'
import type { ApiClient } from './support/api-client.ts'
import { tablesThatContain } from './support/database.ts'
import { fillPath, guardedOperations, isOfOwner, type Operation } from './support/operations.ts'
import type { ErrorBody } from './support/resources.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'

const scopes = [...new Set(guardedOperations.map(({ scope }) => scope as string))]

const callWith = (client: ApiClient, operation: Operation) => {
  const needsBody = ['POST', 'PATCH'].includes(operation.method) && !/confirm|test$/.test(operation.path)
  return client.call<ErrorBody>(operation.method, fillPath(operation), needsBody ? { body: {} } : {})
}

test('the server stores only the SHA-256 digest of a key', async () => {
  const { key } = await createKey(freshAccount())
  expect(await tablesThatContain(sharedStack(), key.slice(12))).toEqual([])
  const digest = createHash('sha256').update(key).digest('hex')
  expect(await tablesThatContain(sharedStack(), digest)).toEqual(['auth.api_key'])
})

test('a revoked key fails at the next request, 200 times at two gateways', async () => {
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
    const { status, body } = await next.get<ErrorBody>('/api/vaults')
    expect([status, body.code], `round ${round}`).toEqual([401, 'api_key_revoked'])
  }
})

/** The additional scope of operations that both read and write. */
const alsoNeeded: Record<string, string> = { exportAccount: 'files:read' }

test('a key with one scope can call only the routes of that scope', async () => {
  for (const scope of scopes) {
    const owner = freshAccount()
    const holder = withToken(owner, (await createKey(owner, { scopes: [scope] })).key)
    for (const operation of guardedOperations) {
      const { status, body } = await callWith(holder, operation)
      const what = `${operation.id} with ${scope}`
      const lacked = operation.scope === scope ? alsoNeeded[operation.id] : operation.scope
      if (lacked !== undefined)
        expect([status, body.code, body.details], what).toEqual([403, 'insufficient_scope', { requiredScope: lacked }])
      else if (isOfOwner(operation) && status !== 400)
        expect([status, body.code, body.details], what).toEqual([403, 'insufficient_scope', { requiredScope: null }])
      else expect([401, 403], what).not.toContain(status)
    }
  }
})
