import { z } from 'zod'
import { type Endpoint, endpoint } from '../endpoint/endpoint.ts'
import { s3AccessKeyIdPattern } from '../public/api-key-format.ts'
import { pathConditions } from '../public/conditions.ts'
import { contentParams, contentQuery } from '../public/content.ts'
import { idOrUnknown, uuid } from '../public/id.ts'
import { linkCookie } from '../public/link-access.ts'
import { bucketsApi } from './buckets.ts'
import { objectContentsApi } from './object-contents.ts'
import { objectUploadsApi } from './object-uploads.ts'
import { objectsApi } from './objects.ts'
import { accountPrincipal } from './principal.ts'

const forGateway = { service: 'auth', access: 'internal' } as const

export const contentLengthHeader = 'x-tideport-content-length'

const keyDigest = z.string().regex(/^[0-9a-f]{64}$/)

/** The principal of a valid key, and the rules for its use. */
const foundKey = accountPrincipal.extend({
  addresses: z
    .array(z.string())
    .optional()
    .describe('Addresses and networks (CIDR) that may use the key; missing: any'),
  usableMs: z
    .int()
    .min(0)
    .default(0)
    .describe('How long the response may be cached, from before the request (ADR 0022)'),
})

export const verifyApiKey = endpoint({
  method: 'POST',
  path: '/internal/api-keys/verify',
  ...forGateway,
  summary: 'Find the account of the key with this digest',
  body: z.object({
    digest: keyDigest.describe('SHA-256 of the key; the key itself is never sent'),
  }),
  success: {
    status: 200,
    schema: foundKey,
  },
  errors: ['unauthenticated', 'api_key_revoked', 'api_key_expired'],
})

/** A presigned URL is valid for up to seven days, with the key of the day on which it was signed. */
export const s3SigningDaysMax = 7

export const findS3Key = endpoint({
  method: 'POST',
  path: '/internal/api-keys/find-s3',
  ...forGateway,
  summary: 'Find the key with this access key ID, and its signing keys for a day and region',
  body: z.object({
    accessKey: z.string().regex(s3AccessKeyIdPattern).describe('Access key ID'),
    date: z
      .string()
      .regex(/^\d{8}$/)
      .describe('Day (UTC) of the signature as YYYYMMDD: at most seven days ago, and at most tomorrow'),
    region: z.string().regex(/^[A-Za-z0-9-]{1,64}$/),
  }),
  success: {
    status: 200,
    schema: foundKey.extend({
      digest: keyDigest,
      signingKeys: z
        .array(z.string())
        .min(1)
        .describe('SigV4 signing keys of service s3 in base64, one for each key in S3_API_SECRET_KEYS'),
    }),
  },
  errors: ['unauthenticated', 'api_key_revoked', 'api_key_expired'],
})

export const recheckedKeysMax = 500

export const recheckApiKeys = endpoint({
  method: 'POST',
  path: '/internal/api-keys/recheck',
  ...forGateway,
  summary: 'List which keys with these digests are valid',
  body: z.object({
    digests: z.array(keyDigest).min(1).max(recheckedKeysMax).describe('Keys of forwarded requests that are still open'),
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
        .describe('One result per digest, in the same order'),
    }),
  },
  errors: [],
})

export const ensureAccount = endpoint({
  method: 'POST',
  path: '/internal/accounts/resolve',
  ...forGateway,
  summary: 'Find the account of an identity provider’s subject; the first request creates it',
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
  summary: 'Development mode: find the account with this ID, or without an ID the first account',
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

/** For a client that waits for permission to send its body (`Expect: 100-continue`). */
export const checkContent = endpoint({
  method: 'GET',
  path: '/internal/vaults/:vaultId/content/*path',
  service: 'files',
  access: 'files:write',
  verb: 'upload',
  summary: 'Check whether a one-request upload of this size would be accepted',
  params: contentParams,
  query: contentQuery,
  headers: contentLength.extend({ 'idempotency-key': z.string().optional(), ...pathConditions }),
  success: { status: 200, schema: z.object({}) },
  errors: [
    'not_found',
    'path_taken',
    'precondition_failed',
    'too_large',
    'too_many_open_uploads',
    'quota_exceeded',
    'unavailable',
  ],
})

/** For every upload by link, before the gateway reads any bytes. */
export const checkLinkedContent = endpoint({
  method: 'GET',
  path: '/internal/s/:token',
  service: 'files',
  access: 'public',
  cookie: linkCookie,
  summary: 'Check whether an upload of this size by a link would be accepted',
  params: z.object({ token: z.string() }),
  headers: contentLength,
  success: { status: 200, schema: z.object({}) },
  errors: ['not_found', 'password_required', 'too_large', 'unavailable'],
})

/** Requests of the gateway to auth and files. Requests from outside never reach these endpoints. */
export const internalApi = {
  verifyApiKey,
  findS3Key,
  recheckApiKeys,
  ensureAccount,
  findAccount,
  checkContent,
  checkLinkedContent,
  ...bucketsApi,
  ...objectsApi,
  ...objectContentsApi,
  ...objectUploadsApi,
} as const satisfies Record<string, Endpoint>
