import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { pathConditions } from './conditions.ts'
import { download } from './downloads.ts'
import { encryptionFields, sha256Hex, writtenFile } from './files.ts'
import { givenId, uuid } from './id.ts'
import { idempotencyHeaders } from './idempotency.ts'
import { labelQuery, sealedMetadata } from './labels.ts'
import { flag, moment } from './list.ts'
import { anyPath, onConflict } from './paths.ts'

const digest = z
  .string()
  .max(1024)
  .optional()
  .describe(
    'RFC 9530: `sha-256`, `md5`, `crc32`, `crc32c`, and `crc64nvme` are compared with the bytes; others are ignored',
  )

/** Type of the request body: the bytes to store, or the form that contains them. */
export const digestHeaders = { 'content-digest': digest, 'repr-digest': digest }

/** `path` is validated like any file's path, after the vault was found. */
export const contentParams = z.object({ vaultId: uuid, path: anyPath })

export const contentQuery = z.object({
  id: givenId,
  ...encryptionFields,
  onConflict: onConflict
    .default('keep')
    .describe(`${onConflict.description}. With If-Match or If-None-Match, \`keep\` counts as \`replace\``),
  tag: labelQuery.tag,
  sealedMetadata: sealedMetadata.optional(),
  plaintextSizeBytes: z
    .string()
    .regex(/^\d{1,15}$/, { error: 'Must be a whole number' })
    .transform(Number)
    .optional(),
  checksumSha256: sha256Hex.optional().describe('SHA-256 of the bytes; compared with the received bytes'),
  expiresAt: z
    .union([moment, z.literal('never')])
    .optional()
    .describe('Or `never`; omitted: the default of the vault'),
  autoConfirm: flag
    .default(false)
    .describe('If the service stops before it responds, the stored bytes still become a file'),
})

const path = '/api/vaults/:vaultId/content/*path'

export const readContent = endpoint({
  method: 'GET',
  path,
  service: 'files',
  access: 'files:read',
  verb: 'read',
  summary: 'Read a file by its path',
  description:
    'The bytes of the newest confirmed file at the path. Supports single ranges and conditional requests. With `download`, returns a URL as JSON instead.',
  params: contentParams,
  query: z.object({
    download: z
      .enum(['', 'true', 'false'])
      .transform((value) => value !== 'false')
      .optional()
      .describe('Return a URL that needs no credentials, instead of the bytes'),
  }),
  success: { status: 200, bytes: true, orJson: download },
  errors: [
    'not_found',
    'content_lost',
    'precondition_failed',
    'key_bytes_spent',
    'range_not_satisfiable',
    'unavailable',
    'restoring',
  ],
})

const shared = {
  path,
  service: 'files',
  access: 'files:write',
  verb: 'upload',
  summary: 'Upload a file in one request',
  description:
    'The request body is the bytes, of any type and any length up to the installation’s limit; `Transfer-Encoding: chunked` is supported. Metadata is `meta.KEY=VALUE` in the query. Returns the file in `hot`. For larger files, request an upload.',
  params: contentParams,
  query: contentQuery,
  headers: z.object({
    ...idempotencyHeaders.shape,
    'content-type': z
      .string()
      .max(255)
      .optional()
      .describe('The file’s `mimeType`; defaults to application/octet-stream'),
    ...digestHeaders,
    'content-md5': z.string().max(64).optional().describe('RFC 1864: compared with the bytes'),
    'want-repr-digest': z
      .string()
      .max(1024)
      .optional()
      .describe('RFC 9530: digests to keep with the file, of the algorithms of `Repr-Digest`'),
    ...pathConditions,
  }),
  takesBytes: true,
  success: { status: 201, schema: writtenFile },
  errors: [
    'digest_mismatch',
    'path_too_long',
    'not_found',
    'request_timeout',
    'too_large',
    'too_many_open_uploads',
    'quota_exceeded',
    'key_bytes_spent',
    'path_taken',
    'precondition_failed',
    'id_taken',
    'idempotency_key_reused',
    'unavailable',
  ],
} as const

export const putContent = endpoint({ method: 'PUT', ...shared })

/** The same, for clients that cannot PUT. */
export const postContent = endpoint({ method: 'POST', ...shared })
