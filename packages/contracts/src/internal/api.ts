import { z } from 'zod'
import { type Endpoint, endpoint } from '../endpoint/endpoint.ts'
import { contentParams, contentQuery } from '../public/content.ts'
import { idOrUnknown, uuid } from '../public/id.ts'
import { linkCookie } from '../public/link-access.ts'
import { accountPrincipal } from './principal.ts'

const forGateway = { service: 'auth', access: 'internal' } as const

export const contentLengthHeader = 'x-tideport-content-length'

const keyDigest = z.string().regex(/^[0-9a-f]{64}$/)

export const verifyApiKey = endpoint({
  method: 'POST',
  path: '/internal/api-keys/verify',
  ...forGateway,
  summary: 'Who holds the key with this digest',
  body: z.object({
    digest: keyDigest.describe('SHA-256 of the key; the key never travels'),
  }),
  success: {
    status: 200,
    schema: accountPrincipal.extend({
      addresses: z
        .array(z.string())
        .optional()
        .describe('Addresses and networks in CIDR notation that it may be used from; missing: any'),
      usableMs: z
        .int()
        .min(0)
        .default(0)
        .describe('How long the answer may be used, counted from before it was asked for (ADR 0022)'),
    }),
  },
  errors: ['unauthenticated', 'api_key_revoked', 'api_key_expired'],
})

export const recheckedKeysMax = 500

export const recheckApiKeys = endpoint({
  method: 'POST',
  path: '/internal/api-keys/recheck',
  ...forGateway,
  summary: 'Which of the keys with these digests are still valid',
  body: z.object({
    digests: z
      .array(keyDigest)
      .min(1)
      .max(recheckedKeysMax)
      .describe('Keys of requests that the gateway has forwarded and that have not ended'),
  }),
  success: {
    status: 200,
    schema: z.object({
      keys: z
        .array(
          z.object({
            usableMs: z.int().min(0).default(0),
            refusal: z
              .object({ code: z.enum(['unauthenticated', 'api_key_revoked', 'api_key_expired']), error: z.string() })
              .optional()
              .describe('Missing: the key is valid'),
          }),
        )
        .describe('One for each digest, in the order of the digests'),
    }),
  },
  errors: [],
})

export const ensureAccount = endpoint({
  method: 'POST',
  path: '/internal/accounts/resolve',
  ...forGateway,
  summary: 'The account of an identity provider’s subject; first sight creates it',
  body: z.object({
    issuer: z.string().min(1).max(512),
    subject: z.string().min(1).max(512),
    method: z.enum(['jwt', 'development']),
    clientAddress: z.string().nullable(),
  }),
  success: { status: 200, schema: z.object({ accountId: uuid }) },
  errors: [],
})

export const findAccount = endpoint({
  method: 'POST',
  path: '/internal/accounts/find',
  ...forGateway,
  summary: 'Development mode: the account with this id or, without one, the first account',
  body: z.object({ accountId: idOrUnknown.optional() }),
  success: { status: 200, schema: z.object({ accountId: uuid }) },
  errors: ['unauthenticated'],
})

const contentLength = z.object({
  [contentLengthHeader]: z
    .string()
    .regex(/^\d{1,15}$/)
    .optional(),
})

/** Of a client that waits to be asked for its bytes (`Expect: 100-continue`). */
export const checkContent = endpoint({
  method: 'GET',
  path: '/internal/vaults/:vaultId/content/*path',
  service: 'files',
  access: 'files:write',
  verb: 'upload',
  summary: 'Whether an upload in one call of so many bytes would be taken',
  params: contentParams,
  query: contentQuery,
  headers: contentLength,
  success: { status: 200, schema: z.object({}) },
  errors: ['not_found', 'path_taken', 'too_large', 'too_many_open_uploads', 'quota_exceeded', 'unavailable'],
})

/** Of everybody who sends bytes by a link, before any of them are read. */
export const checkLinkedContent = endpoint({
  method: 'GET',
  path: '/internal/s/:token',
  service: 'files',
  access: 'public',
  cookie: linkCookie,
  summary: 'Whether an upload of so many bytes by a link would be taken',
  params: z.object({ token: z.string() }),
  headers: contentLength,
  success: { status: 200, schema: z.object({}) },
  errors: ['not_found', 'password_required', 'too_large', 'unavailable'],
})

/** What services ask each other: the gateway asks auth, and files. Never forwarded from outside. */
export const internalApi = {
  verifyApiKey,
  recheckApiKeys,
  ensureAccount,
  findAccount,
  checkContent,
  checkLinkedContent,
} as const satisfies Record<string, Endpoint>
