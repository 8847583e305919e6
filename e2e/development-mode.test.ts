import { expect, test } from 'vitest'
import { accountId, createKey, withToken } from './support/account.ts'
import { createApiClient } from './support/api-client.ts'
import { freshAccount, sharedStack } from './support/shared-stack.ts'

const as = (headers: Record<string, string>) => createApiClient(sharedStack().gatewayUrls[0] as string, headers)

test('X-Dev-User-Id authenticates as the user with that database ID and takes precedence over X-Dev-Provider-Id', async () => {
  const known = await accountId(freshAccount())
  const other = { 'X-Dev-Provider-Id': `other-${crypto.randomUUID()}` }
  for (const more of [{}, other])
    for (const id of [known, known.toUpperCase()])
      expect(await accountId(as({ 'X-Dev-User-Id': id, ...more }))).toBe(known)
})

test('X-Dev-Provider-Id authenticates as the user with that identity-provider ID, at both gateways', async () => {
  const subject = { 'X-Dev-Provider-Id': `subject-${crypto.randomUUID()}` }
  const ids = await Promise.all(sharedStack().gatewayUrls.map((url) => accountId(createApiClient(url, subject))))
  expect(new Set(ids).size).toBe(1)
  expect(ids[0]).not.toBe(sharedStack().firstUserId)
})

test('a bearer token is checked as in production and takes precedence over the development headers', async () => {
  const owner = freshAccount()
  const { key } = await createKey(owner)
  const firstUser = { 'X-Dev-User-Id': sharedStack().firstUserId }
  expect(await accountId(as({ ...withToken(owner, key).identity, ...firstUser }))).toBe(await accountId(owner))
  const forged = `tdp_${'A'.repeat(49)}`
  expect((await as({ Authorization: `Bearer ${forged}`, ...firstUser }).get('/api/account')).status).toBe(401)
})
