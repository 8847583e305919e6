import { z } from 'zod'
import { type Endpoint, endpoint } from '../endpoint/endpoint.ts'
import { instant, wholeNumber } from '../public/list.ts'
import { slug, visibility } from '../public/vaults.ts'

/** Any text, because an unknown bucket is 404. */
export const bucketParams = z.object({ slug: z.string() })

const corsMethod = z.enum(['GET', 'HEAD', 'PUT', 'POST', 'DELETE'])
const words = z.array(z.string().min(1).max(1024)).max(100)

const corsRule = z.object({
  id: z.string().max(255).optional(),
  allowedOrigins: words.min(1),
  allowedMethods: z.array(corsMethod).min(1),
  allowedHeaders: words.default([]),
  exposeHeaders: words.default([]),
  maxAgeSeconds: z.int().min(0).max(2_147_483_647).nullable().default(null),
})

export const corsRules = z.array(corsRule).max(100)
export type CorsRules = z.output<typeof corsRules>

const bucket = z.object({ slug: z.string(), createdAt: instant, visibility })

const listBuckets = endpoint({
  method: 'GET',
  path: '/internal/buckets',
  service: 'files',
  access: 'vaults:read',
  verb: 'read',
  summary: 'List the vaults of the caller by slug',
  query: z.object({
    prefix: z.string().default(''),
    after: z.string().default('').describe('Slugs after this one'),
    limit: wholeNumber({ min: 1, max: 10_000 }).default(1000),
  }),
  success: { status: 200, schema: z.object({ buckets: z.array(bucket), next: z.string().nullable() }) },
  errors: [],
})

const createBucket = endpoint({
  method: 'POST',
  path: '/internal/buckets',
  service: 'files',
  access: 'vaults:write',
  summary: 'Create a vault with this slug as its name',
  body: z.object({ slug, visibility }),
  success: { status: 201, schema: bucket },
  errors: ['slug_taken'],
})

const readBucket = endpoint({
  method: 'GET',
  path: '/internal/buckets/:slug',
  service: 'files',
  access: 'files:read',
  verb: null,
  summary: 'Read a vault and its cross-origin rules',
  params: bucketParams,
  success: { status: 200, schema: bucket.extend({ cors: corsRules.nullable() }) },
  errors: ['not_found'],
})

const deleteBucket = endpoint({
  method: 'DELETE',
  path: '/internal/buckets/:slug',
  service: 'files',
  access: 'vaults:write',
  verb: 'delete',
  summary: 'Move a vault without files to the trash, and abort its uploads',
  params: bucketParams,
  success: { status: 200, schema: z.object({}) },
  errors: ['not_found', 'vault_not_empty', 'state_conflict'],
})

const putBucketCors = endpoint({
  method: 'PUT',
  path: '/internal/buckets/:slug/cors',
  service: 'files',
  access: 'vaults:write',
  verb: 'change',
  summary: 'Replace the cross-origin rules of a vault',
  params: bucketParams,
  body: z.object({ rules: corsRules.nullable() }),
  success: { status: 200, schema: z.object({}) },
  errors: ['not_found'],
})

/** A preflight names no account, and rules give no rights, so the rules of all vaults with the slug apply. */
const findCors = endpoint({
  method: 'GET',
  path: '/internal/cors/:slug',
  service: 'files',
  access: 'public',
  summary: 'List the cross-origin rules of all vaults with this slug',
  params: bucketParams,
  success: { status: 200, schema: z.object({ rules: z.array(corsRule) }) },
  errors: [],
})

/** Requests of the S3 door about vaults. The handlers check the limits of keys. */
export const bucketsApi = {
  listBuckets,
  createBucket,
  readBucket,
  deleteBucket,
  putBucketCors,
  findCors,
} as const satisfies Record<string, Endpoint>
