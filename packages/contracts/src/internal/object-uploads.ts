import { z } from 'zod'
import { type Endpoint, endpoint } from '../endpoint/endpoint.ts'
import { idOrUnknown } from '../public/id.ts'
import { instant, wholeNumber } from '../public/list.ts'
import { bucketParams } from './buckets.ts'
import { newObject, objectHeader, objectLengthHeader } from './object-contents.ts'
import { objectKey } from './object-key.ts'
import { objectQuery, objectView } from './objects.ts'

/** Uploads of the S3 door: parts of any size and number, of which the client lists those that become the object. */

const texts = z.record(z.string(), z.string())
const digestType = z.enum(['full_object', 'composite'])
const digestName = newObject.shape.wanted.unwrap().element

/** Of the upload: the digest that each part gets, and what it is of. */
const kind = { digestAlgorithm: digestName.nullable(), digestType: digestType.nullable() }

const partNumber = wholeNumber({ min: 1, max: 10_000 })
const params = bucketParams.extend({ uploadId: idOrUnknown })
const partParams = params.extend({ partNumber })
const one = '/internal/object-uploads/:slug/:uploadId'

const createObjectUpload = endpoint({
  method: 'POST',
  path: '/internal/object-uploads/:slug',
  service: 'files',
  access: 'files:write',
  verb: 'upload',
  summary: 'Begin an upload in parts of a key',
  params: bucketParams,
  query: objectQuery,
  body: newObject
    .pick({ mimeType: true, headers: true, metadata: true, tags: true })
    .extend({ digestAlgorithm: kind.digestAlgorithm.default(null), digestType: kind.digestType.default(null) }),
  success: { status: 201, schema: z.object({ uploadId: z.string(), ...kind }) },
  errors: ['not_found', 'too_many_open_uploads', 'unavailable'],
})

const received = z.object({
  etag: z.string().describe('Without quotation marks'),
  digests: texts.describe('In base64 by algorithm'),
  lastModified: instant,
})
const receiving = ['not_found', 'upload_in_progress', 'quota_exceeded', 'too_large', 'key_bytes_spent'] as const

const putObjectPart = endpoint({
  method: 'PUT',
  path: `${one}/parts/:partNumber`,
  service: 'files',
  access: 'files:write',
  verb: 'upload',
  summary: 'Store a part, which replaces an earlier one with its number',
  params: partParams,
  query: objectQuery,
  headers: z.object({
    [objectHeader]: z.string().describe('`bytesClaim` in base64url'),
    [objectLengthHeader]: z.string().regex(/^\d{1,15}$/),
  }),
  takesBytes: true,
  success: { status: 200, schema: received },
  errors: [...receiving, 'digest_mismatch', 'request_timeout', 'unavailable'],
})

const copyObjectPart = endpoint({
  method: 'POST',
  path: `${one}/parts/:partNumber/copy`,
  service: 'files',
  access: 'files:write',
  verb: 'upload',
  summary: 'Store bytes of an object as a part',
  params: partParams,
  query: objectQuery,
  body: z.object({
    source: z.object({
      slug: z.string(),
      key: objectKey,
      ifMatch: z.string().optional(),
      ifNoneMatch: z.string().optional(),
      ifModifiedSince: instant.optional(),
      ifUnmodifiedSince: instant.optional(),
    }),
    range: z
      .object({ start: z.int().min(0), end: z.int().min(0) })
      .nullable()
      .default(null)
      .describe('Inclusive; null: all bytes'),
  }),
  success: { status: 200, schema: received },
  errors: [
    ...receiving,
    'precondition_failed',
    'range_not_satisfiable',
    'content_lost',
    'visibility_mismatch',
    'restoring',
    'unavailable',
  ],
})

const listObjectParts = endpoint({
  method: 'GET',
  path: one,
  service: 'files',
  access: 'files:write',
  verb: 'upload',
  summary: 'List the parts of an upload that have arrived',
  params,
  query: objectQuery.extend({
    after: wholeNumber({ min: 0, max: 2_147_483_647 }).default(0),
    limit: wholeNumber({ min: 0, max: 1000 }).default(1000),
  }),
  success: {
    status: 200,
    schema: z.object({
      parts: z.array(received.extend({ partNumber: z.int(), sizeBytes: z.int() })),
      isTruncated: z.boolean(),
      ...kind,
    }),
  },
  errors: ['not_found'],
})

const completeObjectUpload = endpoint({
  method: 'POST',
  path: `${one}/complete`,
  service: 'files',
  access: 'files:write',
  verb: 'upload',
  summary: 'Make an object of the listed parts',
  params,
  query: objectQuery,
  body: z.object({
    parts: z
      .array(z.object({ partNumber: z.int(), etag: z.string(), digests: texts.default({}) }))
      .min(1)
      .max(10_000),
    digests: texts.default({}).describe('Of the object, as the client expects them'),
    digestType: digestType.nullable().default(null),
    sizeBytes: z.int().min(0).optional(),
    ifMatch: z.string().optional(),
    ifNoneMatch: z.string().optional(),
  }),
  success: { status: 200, schema: z.object({ object: objectView }) },
  errors: [
    'not_found',
    'invalid_part',
    'invalid_part_order',
    'entity_too_small',
    'digest_mismatch',
    'too_large',
    'precondition_failed',
    'confirm_in_progress',
    'unavailable',
  ],
})

const abortObjectUpload = endpoint({
  method: 'DELETE',
  path: one,
  service: 'files',
  access: 'files:write',
  verb: 'upload',
  summary: 'Abort an upload, and release its bytes',
  params,
  query: objectQuery.extend({ initiated: instant.optional().describe('When the upload must have begun') }),
  success: { status: 200, schema: z.object({}) },
  errors: ['not_found', 'upload_in_progress', 'precondition_failed'],
})

const listObjectUploads = endpoint({
  method: 'GET',
  path: '/internal/object-uploads/:slug',
  service: 'files',
  access: 'files:read',
  verb: 'read',
  summary: 'List open uploads in parts by key, with common prefixes',
  params: bucketParams,
  query: z.object({
    prefix: z.string().default(''),
    delimiter: z.string().default(''),
    keyMarker: z.string().default(''),
    uploadIdMarker: z.string().default('').describe('Ignored without `keyMarker`'),
    limit: wholeNumber({ min: 0, max: 1000 }).default(1000),
  }),
  success: {
    status: 200,
    schema: z.object({
      uploads: z.array(z.object({ key: z.string(), uploadId: z.string(), initiated: instant, ...kind })),
      prefixes: z.array(z.string()),
      isTruncated: z.boolean(),
      nextKeyMarker: z.string().nullable(),
      nextUploadIdMarker: z.string().nullable(),
    }),
  },
  errors: ['not_found'],
})

/** Requests of the S3 door about uploads in parts. The handlers check the limits of keys. */
export const objectUploadsApi = {
  createObjectUpload,
  putObjectPart,
  copyObjectPart,
  listObjectParts,
  completeObjectUpload,
  abortObjectUpload,
  listObjectUploads,
} as const satisfies Record<string, Endpoint>
