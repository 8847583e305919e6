import { expect, test } from 'vitest'
import { anonymous, createKey, withToken } from './support/account.ts'
import { createApiClient } from './support/api-client.ts'
import { fillPath, operatorOperations } from './support/operations.ts'
import { freshAccount, sharedOperator, sharedStack } from './support/shared-stack.ts'

const operator = (gateway = 0) =>
  createApiClient(sharedStack().gatewayUrls[gateway] as string, { 'X-Dev-Provider-Id': sharedOperator })

test.concurrent('to whoever is no operator, what is there for them is a path that is none, also with a key that one made', async () => {
  const someone = freshAccount()
  const missing = await someone.get('/api/operators')
  const key = await createKey(operator())
  expect(operatorOperations.length).toBeGreaterThan(2)
  for (const client of [someone, anonymous(someone), withToken(someone, key.key)]) {
    for (const operation of operatorOperations) {
      const { status, text } = await client.call(operation.method, fillPath(operation), { body: undefined })
      expect([status, text], operation.id).toEqual([404, missing.text])
    }
  }
})

test.concurrent('an operator sees files by state, the oldest due work, and each network with its room', async () => {
  const { status, body } = await operator(1).get<{ files: object; due: { queue: string }[] }>('/api/operator/overview')
  expect(status).toBe(200)
  expect(Object.keys(body.files).toSorted()).toEqual(['cold', 'error', 'hot', 'synced', 'uploading'])
  expect(body.due.map(({ queue }) => queue)).toEqual(expect.arrayContaining(['evict', 'rehydrate']))
  const { body: found } = await operator().get<{ networks: object[] }>('/api/operator/networks')
  expect(found.networks).toMatchObject([{ role: 'required', works: true, freeBytes: expect.any(Number) }])
})
