import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { scope } from '../endpoint/scope.ts'
import { verb } from '../endpoint/verb.ts'
import { uuid } from './id.ts'
import { flag, instant, nextCursor, pageQuery, sortQuery } from './list.ts'
import { bytesOf, pathPrefix } from './paths.ts'
import { plainText } from './text.ts'

const writesKeys = { service: 'auth', access: 'keys:write', verb: null } as const
const readsKeys = { service: 'auth', access: 'keys:read', verb: null } as const

const network = z
  .union([z.cidrv4(), z.cidrv6(), z.ipv4(), z.ipv6()], {
    error: 'Must be an address or a network, e.g. 192.0.2.7 or 192.0.2.0/24',
  })
  .refine((text) => !isWiderThanIpv4(text), { error: 'An IPv4-mapped network must have a prefix of at least 96 bits' })
  .meta({ examples: ['192.0.2.0/24', '2001:db8::7'] })

/**
 * A shorter prefix would cover both versions, but a client's address is compared only with networks of the same
 * version.
 */
function isWiderThanIpv4(text: string): boolean {
  const [base = '', bits] = text.split('/')
  return bits !== undefined && Number(bits) < 96 && base.includes(':') && /^\[::ffff:/.test(hostOf(base))
}

function hostOf(ipv6: string): string {
  return new URL(`http://[${ipv6}]`).hostname
}

/** Sent with each forwarded request of the key. */
const PREFIXES_BYTES_MAX = 1024

/** Narrows what the scopes of a key allow; null: no limit. */
const keyLimits = z
  .object({
    vaultIds: z
      .array(uuid)
      .min(1)
      .max(50)
      .nullable()
      .describe('Vaults that the key can see, with their files. All others are 404'),
    prefixes: z
      .array(pathPrefix)
      .min(1)
      .max(20)
      .refine((prefixes) => bytesOf(prefixes.join('')) <= PREFIXES_BYTES_MAX, {
        error: `Must be at most ${PREFIXES_BYTES_MAX} bytes in all`,
      })
      .nullable()
      .describe('The key can see files whose paths begin with one of these, in each visible vault'),
    verbs: z.array(verb).min(1).nullable().describe('Actions on files and vaults that the key may perform'),
    bytesPerDay: z
      .int()
      .min(1)
      .nullable()
      .describe(
        'Bytes per day (UTC) of requested uploads and of files with requested download URLs, together with all keys created with this key',
      ),
    addresses: z.array(network).min(1).max(50).nullable().describe('Client addresses or networks that may use the key'),
  })
  .meta({ id: 'ApiKeyLimits' })
export type KeyLimits = z.infer<typeof keyLimits>

export const apiKey = z
  .object({
    id: uuid,
    name: z.string(),
    keyPrefix: z.string(),
    parentId: z.uuid().nullable().describe('The key that created this key; null: a login created it'),
    scopes: z.array(scope).nullable(),
    limits: keyLimits.nullable(),
    isSession: z
      .boolean()
      .describe('A sign-in of the owner created the key. It cannot be rotated, and is the parent of no key'),
    createdAt: instant,
    expiresAt: instant.nullable(),
    lastUsedAt: instant.nullable(),
    revoked_at: instant.nullable(),
    s3AccessKeyId: z.string().nullable().describe('Access key ID for the S3 API. Null: the key has none'),
  })
  .meta({ id: 'ApiKey' })

export const createdApiKey = apiKey
  .extend({
    key: z.string().startsWith('tdp_'),
    s3: z
      .object({ accessKeyId: z.string(), secretAccessKey: z.string() })
      .optional()
      .describe('Credentials for the S3 API, of keys with `s3AccessKeyId`'),
  })
  .meta({ id: 'CreatedApiKey' })

const apiKeyParams = z.object({ apiKeyId: uuid })

export const createApiKey = endpoint({
  method: 'POST',
  path: '/api/auth/api-keys',
  ...writesKeys,
  summary: 'Create an API key',
  description:
    'Only this response has the key itself; the service stores its hash. With `s3`, it also has credentials for the S3 API, ' +
    'which grant the same as the key. A key grants no scope that its creator lacks. A key that ' +
    'is created with a key expires no later than that key and is revoked with it. It inherits the limits, ' +
    'and given limits may only be narrower.',
  body: z.object({
    name: plainText(1, 100),
    scopes: z.array(scope).min(1).nullish().describe('Omitted or null: all scopes'),
    limits: z
      .strictObject(keyLimits.shape)
      .partial()
      .nullish()
      .describe('Omitted or null: none, or those of the creating key. Unknown limits are rejected'),
    expiresInDays: z
      .int()
      .min(1)
      .max(3650)
      .nullish()
      .describe('Omitted or null: no expiry, or that of the creating key'),
    s3: z.boolean().optional().describe('Also create credentials for the S3 API. Omitted: false'),
  }),
  success: { status: 201, schema: createdApiKey },
  errors: ['too_many_api_keys'],
})

export const rotateApiKey = endpoint({
  method: 'POST',
  path: '/api/auth/api-keys/:apiKeyId/rotate',
  ...writesKeys,
  summary: 'Replace an API key',
  description:
    'Creates a key with the same name, scopes, limits, and lifetime. The old key expires after `overlapSeconds`, and so do keys ' +
    'created with it; both work until then. Credentials for the S3 API are replaced too. Requires a login, or the key that created the old key.',
  params: apiKeyParams,
  body: z.object({
    overlapSeconds: z.int().min(0).max(2_592_000).describe('How long the old key continues to work'),
  }),
  success: { status: 201, schema: createdApiKey },
  errors: ['not_found', 'state_conflict', 'too_many_api_keys'],
})

export const listApiKeys = endpoint({
  method: 'GET',
  path: '/api/auth/api-keys',
  ...readsKeys,
  summary: 'List API keys',
  query: z.object({ ...pageQuery, ...sortQuery, includeRevoked: flag.optional() }),
  success: { status: 200, schema: z.object({ apiKeys: z.array(apiKey), nextCursor }) },
  errors: [],
})

export const readApiKey = endpoint({
  method: 'GET',
  path: '/api/auth/api-keys/:apiKeyId',
  ...readsKeys,
  summary: 'Read an API key’s record',
  params: apiKeyParams,
  success: { status: 200, schema: apiKey },
  errors: ['not_found'],
})

export const revokeApiKey = endpoint({
  method: 'DELETE',
  path: '/api/auth/api-keys/:apiKeyId',
  ...writesKeys,
  summary: 'Revoke an API key',
  description:
    'Responds, after about one second, when every gateway rejects the key and all keys created with it. Cannot be undone.',
  params: apiKeyParams,
  success: { status: 200, schema: apiKey },
  errors: ['not_found'],
})
