import { expect, test } from 'vitest'
import { anonymous } from './support/account.ts'
import { committedDescription, operations } from './support/operations.ts'
import { freshAccount } from './support/shared-stack.ts'

test('GET /api/openapi.json serves the committed description without authentication, with its own URL', async () => {
  const client = anonymous(freshAccount())
  const { status, body } = await client.get<object>('/api/openapi.json')
  expect(status).toBe(200)
  expect(body).toEqual({ ...(committedDescription() as object), servers: [{ url: client.baseUrl }] })
})

test('API paths start with /api and carry no version segment', () => {
  // Paths of links are for people, so they are short and have no `/api` prefix.
  for (const { path } of operations.filter((operation) => !operation.path.startsWith('/s/'))) {
    expect(path).toMatch(/^\/api\//)
    expect(path).not.toMatch(/\/v\d/)
  }
})
