import { z } from 'zod'
import { type Endpoint, endpoint } from '../endpoint/endpoint.ts'
import { uuid } from '../public/id.ts'
import { instant, wholeNumber } from '../public/list.ts'
import { bucketParams } from './buckets.ts'
import { objectKey } from './object-key.ts'

export const objectQuery = z.object({ key: objectKey })

const restore = z
  .object({ isOngoing: z.boolean(), until: instant.nullable() })
  .nullable()
  .describe('Of a cold file whose bytes return to the hot tier, or are there until a time')

/** A file as the S3 door sees it; a kept folder is an object without bytes, whose key ends in a slash. */
export const objectView = z.object({
  fileId: uuid.nullable().describe('Null: a kept folder'),
  key: z.string(),
  sizeBytes: z.int(),
  etag: z.string().describe('Without quotation marks'),
  lastModified: instant,
  mimeType: z.string(),
  headers: z.record(z.string(), z.string()),
  metadata: z.record(z.string(), z.string()),
  tagCount: z.int(),
  digests: z.record(z.string(), z.string()).describe('In base64 by algorithm'),
  digestType: z.enum(['full_object', 'composite']).nullable(),
  partCount: z.int().nullable(),
  isHot: z.boolean(),
  restore,
})
export type ObjectView = z.output<typeof objectView>

const listObjects = endpoint({
  method: 'GET',
  path: '/internal/objects/:slug/list',
  service: 'files',
  access: 'files:read',
  verb: 'read',
  summary: 'List keys and common prefixes in byte order',
  params: bucketParams,
  query: z.object({
    prefix: z.string().default(''),
    delimiter: z.string().default(''),
    after: z.string().default('').describe('Entries after this one; nothing below it if it is a common prefix'),
    limit: wholeNumber({ min: 1, max: 1000 }).default(1000),
  }),
  success: {
    status: 200,
    schema: z.object({
      entries: z.array(z.union([z.object({ object: objectView }), z.object({ prefix: z.string() })])),
      next: z
        .string()
        .nullable()
        .describe('Value of `after` for the next page; null: the last page. Earlier pages may be short'),
    }),
  },
  errors: ['not_found'],
})

const restoreObject = endpoint({
  method: 'POST',
  path: '/internal/objects/:slug/restore',
  service: 'files',
  access: 'files:write',
  verb: 'change',
  summary: 'Copy a cold file back to the hot tier, or keep its copy there for longer',
  params: bucketParams,
  query: objectQuery,
  body: z.object({ days: z.int().min(1).max(36_500) }),
  success: {
    status: 200,
    schema: z.object({ outcome: z.enum(['requested', 'ongoing', 'extended', 'not_cold']) }),
  },
  errors: ['not_found'],
})

/** Requests of the S3 door about files. The handlers check the limits of keys. */
export const objectsApi = {
  listObjects,
  restoreObject,
} as const satisfies Record<string, Endpoint>
