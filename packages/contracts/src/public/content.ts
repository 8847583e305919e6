import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { download, encryptionFields, sha256Hex, writtenFile } from './files.ts'
import { givenId, uuid } from './id.ts'
import { idempotencyHeaders } from './idempotency.ts'
import { labelQuery, sealedMetadata } from './labels.ts'
import { flag, moment } from './list.ts'
import { anyPath, onConflict } from './paths.ts'

const digest = z
  .string()
  .max(1024)
  .optional()
  .describe('RFC 9530: `sha-256=:…:` is compared with the bytes, other algorithms are passed over')

/** Of the body of a request, which is what is stored, or the form that it comes in. */
export const digestHeaders = { 'content-digest': digest, 'repr-digest': digest }

/** `path` is checked as that of any file, once it is known that there is a vault. */
export const contentParams = z.object({ vaultId: uuid, path: anyPath })

export const contentQuery = z.object({
  id: givenId,
  ...encryptionFields,
  onConflict: onConflict.default('keep'),
  tag: labelQuery.tag,
  sealedMetadata: sealedMetadata.optional(),
  plaintextSizeBytes: z
    .string()
    .regex(/^\d{1,15}$/, { error: 'Must be a whole number' })
    .transform(Number)
    .optional(),
  checksumSha256: sha256Hex.optional().describe('SHA-256 of the bytes; compared with what comes'),
  expiresAt: z
    .union([moment, z.literal('never')])
    .optional()
    .describe('Or `never`; left out: as its vault says'),
  autoConfirm: flag
    .default(false)
    .describe('Should the service end before it can answer, the file is there all the same if its bytes were stored'),
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
    'The bytes of the confirmed file that was put there last. Supports single ranges and conditional requests. With `download` a URL for them instead, as JSON.',
  params: contentParams,
  query: z.object({
    download: z
      .enum(['', 'true', 'false'])
      .transform((value) => value !== 'false')
      .optional()
      .describe('Answer a URL that needs no credentials, in place of the bytes'),
  }),
  success: { status: 200, bytes: true, orJson: download },
  errors: ['not_found', 'content_lost', 'key_bytes_spent', 'range_not_satisfiable', 'unavailable', 'restoring'],
})

const shared = {
  path,
  service: 'files',
  access: 'files:write',
  verb: 'upload',
  summary: 'Upload a file in one call',
  description:
    'The bytes are the request’s body, metadata comes as `meta.KEY=VALUE` in the query, of any type and, with `Transfer-Encoding: chunked`, of any length up to the installation’s bound. Answers the file in `hot`. Larger files go by an upload request.',
  params: contentParams,
  query: contentQuery,
  headers: z.object({
    ...idempotencyHeaders.shape,
    'content-type': z
      .string()
      .max(255)
      .optional()
      .describe('The file’s `mimeType`; application/octet-stream unless sent'),
    ...digestHeaders,
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
    'id_taken',
    'idempotency_key_reused',
    'unavailable',
  ],
} as const

export const putContent = endpoint({ method: 'PUT', ...shared })

/** The same, for clients that cannot PUT. */
export const postContent = endpoint({ method: 'POST', ...shared })
