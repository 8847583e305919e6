import { z } from 'zod'
import { type Endpoint, endpoint } from '../endpoint/endpoint.ts'
import { errorStatus } from '../endpoint/errors.ts'
import { instant } from '../public/list.ts'
import { bucketParams } from './buckets.ts'
import { objectKey } from './object-key.ts'
import { objectQuery, objectView } from './objects.ts'

/** JSON in base64url: of requests with bytes `newObject`, of responses with bytes `objectView`. */
export const objectHeader = 'x-tideport-object'

/** Bytes of the object, without the trailer behind them. */
export const objectLengthHeader = 'x-tideport-content-length'

/** Longest trailer: JSON `{ digests }` behind the bytes, of values that the client sent after them. */
export const TRAILER_BYTES_MAX = 4096

const digestName = z.enum([
  ...(['md5', 'sha1', 'sha256', 'sha512', 'crc32', 'crc32c', 'crc64nvme'] as const),
  ...(['xxhash3', 'xxhash64', 'xxhash128'] as const),
])
/** Text that Postgres can store. */
const storable = z.string().refine((text) => text.isWellFormed() && !text.includes('\0'), {
  error: 'Must be text without null characters',
})
const texts = z.record(storable, storable)
const digests = z.partialRecord(digestName, z.string())

export const objectTrailer = z.object({ digests })

/** Conditions of HTTP on the file that the key has now, against its ETag of S3. */
const conditions = { ifMatch: z.string().optional(), ifNoneMatch: z.string().optional() }

export const bytesClaim = z.object({
  digests: digests.default({}).describe('Declared by the client, in base64'),
  wanted: z.array(digestName).default([]).describe('Digests to compute and keep, also those of the trailer'),
  contentMd5: z.string().optional().describe('Compared, but not kept as a checksum'),
  contentSha256: z.string().optional().describe('Of the signature, in hex'),
  hasTrailer: z.boolean().default(false),
})
export type BytesClaim = z.output<typeof bytesClaim>

export const newObject = bytesClaim.extend({
  ...{ mimeType: storable, headers: texts.default({}), metadata: texts.default({}) },
  tags: texts.nullable().default(null),
  ...conditions,
})
export type NewObject = z.output<typeof newObject>

const written = { status: 200, schema: z.object({ object: objectView }) } as const
const storing = ['not_found', 'precondition_failed', 'too_large', 'too_many_open_uploads', 'quota_exceeded'] as const

const readObject = endpoint({
  method: 'GET',
  path: '/internal/objects/:slug',
  service: 'files',
  access: 'files:read',
  verb: 'read',
  summary: 'Read an object, a range, or a part, with the conditions of HTTP; HEAD also has ranges',
  params: bucketParams,
  query: objectQuery.extend({ partNumber: z.coerce.number().int().min(1).max(10_000).optional() }),
  success: { status: 200, bytes: true },
  errors: ['not_found', 'precondition_failed', 'range_not_satisfiable', 'content_lost', 'restoring'],
})

const putObject = endpoint({
  method: 'PUT',
  path: '/internal/objects/:slug',
  service: 'files',
  access: 'files:write',
  verb: 'upload',
  summary: 'Store an object of any size at a key',
  params: bucketParams,
  query: objectQuery,
  headers: z.object({ [objectHeader]: z.string(), [objectLengthHeader]: z.string().regex(/^\d{1,15}$/) }),
  takesBytes: true,
  success: written,
  errors: [...storing, 'digest_mismatch'],
})

const copyObject = endpoint({
  method: 'POST',
  path: '/internal/objects/:slug/copy',
  service: 'files',
  access: 'files:write',
  verb: 'upload',
  summary: 'Store a copy of an object at a key, which may be its own',
  params: bucketParams,
  query: objectQuery,
  body: z.object({
    source: z.object({
      ...{ slug: z.string(), key: objectKey, ...conditions },
      ...{ ifModifiedSince: instant.optional(), ifUnmodifiedSince: instant.optional() },
    }),
    replace: newObject.pick({ mimeType: true, headers: true, metadata: true }).nullable().default(null),
    tags: texts.nullable().default(null).describe('Null: those of the source'),
    wanted: z.array(digestName).default([]),
    ...conditions,
  }),
  success: written,
  errors: [...storing, 'visibility_mismatch', 'content_lost', 'restoring'],
})
export type CopyRequest = z.output<typeof copyObject.body>

const deleteObject = endpoint({
  method: 'DELETE',
  path: '/internal/objects/:slug',
  service: 'files',
  access: 'files:write',
  verb: 'delete',
  summary: 'Move the files of a key to the trash',
  params: bucketParams,
  query: objectQuery.extend({
    ifMatch: z.string().optional(),
    lastModified: instant.optional(),
    sizeBytes: z.coerce.number().int().optional(),
  }),
  success: { status: 200, schema: z.object({ deleted: z.boolean() }) },
  errors: ['not_found', 'precondition_failed'],
})

const errorCode = z.enum(Object.keys(errorStatus) as [keyof typeof errorStatus])

const deleteObjects = endpoint({
  method: 'POST',
  path: '/internal/objects/:slug/delete',
  service: 'files',
  access: 'files:write',
  verb: 'delete',
  summary: 'Move the files of many keys to the trash',
  params: bucketParams,
  body: z.object({
    objects: z
      .array(
        z.object({
          key: z.string(),
          ifMatch: z.string().optional(),
          lastModified: instant.optional(),
          sizeBytes: z.int().optional(),
        }),
      )
      .min(1)
      .max(1000),
  }),
  success: {
    status: 200,
    schema: z.object({
      results: z
        .array(z.object({ key: z.string(), code: errorCode.nullable(), error: z.string().nullable() }))
        .describe('One per object, in the same order'),
    }),
  },
  errors: ['not_found'],
})

const tagSet = z.object({ tags: texts })

const readObjectTags = endpoint({
  method: 'GET',
  path: '/internal/objects/:slug/tags',
  service: 'files',
  access: 'files:read',
  verb: 'read',
  summary: 'Read the tags of an object',
  params: bucketParams,
  query: objectQuery,
  success: { status: 200, schema: tagSet },
  errors: ['not_found'],
})

const putObjectTags = endpoint({
  method: 'PUT',
  path: '/internal/objects/:slug/tags',
  service: 'files',
  access: 'files:write',
  verb: 'change',
  summary: 'Replace the tags of an object',
  params: bucketParams,
  query: objectQuery,
  body: tagSet,
  success: { status: 200, schema: z.object({}) },
  errors: ['not_found'],
})

/** Requests of the S3 door with bytes and about single files. The handlers check the limits of keys. */
export const objectContentsApi = {
  readObject,
  putObject,
  copyObject,
  deleteObject,
  deleteObjects,
  readObjectTags,
  putObjectTags,
} as const satisfies Record<string, Endpoint>
