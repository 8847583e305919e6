import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { scope } from '../endpoint/scope.ts'
import { uuid } from './id.ts'
import { flag, instant, nextCursor, pageQuery, sortQuery } from './list.ts'
import { plainText } from './text.ts'

export const apiKey = z
  .object({
    id: uuid,
    name: z.string(),
    keyPrefix: z.string(),
    parentId: z.uuid().nullable().describe('The key that it was made with; null: it was made with a login'),
    scopes: z.array(scope).nullable(),
    createdAt: instant,
    expiresAt: instant.nullable(),
    lastUsedAt: instant.nullable(),
    revoked_at: instant.nullable(),
  })
  .meta({ id: 'ApiKey' })

const apiKeyParams = z.object({ apiKeyId: uuid })

export const createApiKey = endpoint({
  method: 'POST',
  path: '/api/auth/api-keys',
  service: 'auth',
  access: 'keys:write',
  summary: 'Create an API key',
  description:
    'The key itself is in this response only: we keep its hash. A key grants no scope that its creator lacks. One that ' +
    'is made with a key ends no later than that one, whatever it asks for, and is revoked with it.',
  body: z.object({
    name: plainText(1, 100),
    scopes: z.array(scope).min(1).nullish().describe('Omitted or null: all scopes'),
    expiresInDays: z
      .int()
      .min(1)
      .max(3650)
      .nullish()
      .describe('Omitted or null: does not end, or with the key that it is made with'),
  }),
  success: {
    status: 201,
    schema: apiKey.extend({ key: z.string().startsWith('tdp_') }).meta({ id: 'CreatedApiKey' }),
  },
  errors: ['too_many_api_keys'],
})

export const listApiKeys = endpoint({
  method: 'GET',
  path: '/api/auth/api-keys',
  service: 'auth',
  access: 'keys:read',
  summary: 'List API keys',
  query: z.object({ ...pageQuery, ...sortQuery, includeRevoked: flag.optional() }),
  success: { status: 200, schema: z.object({ apiKeys: z.array(apiKey), nextCursor }) },
  errors: [],
})

export const readApiKey = endpoint({
  method: 'GET',
  path: '/api/auth/api-keys/:apiKeyId',
  service: 'auth',
  access: 'keys:read',
  summary: 'Read an API key’s record',
  params: apiKeyParams,
  success: { status: 200, schema: apiKey },
  errors: ['not_found'],
})

export const revokeApiKey = endpoint({
  method: 'DELETE',
  path: '/api/auth/api-keys/:apiKeyId',
  service: 'auth',
  access: 'keys:write',
  summary: 'Revoke an API key',
  description:
    'Answered, after a second or so, when the key is refused everywhere. So are all keys that were made with it; it cannot be undone.',
  params: apiKeyParams,
  success: { status: 200, schema: apiKey },
  errors: ['not_found'],
})
