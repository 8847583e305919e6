import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { pathConditions } from './conditions.ts'
import { givenId, idOrUnknown, uuid } from './id.ts'
import { idempotencyHeaders } from './idempotency.ts'
import { isSealedOrOpen, labelFields, labelQuery, sealedOrOpen } from './labels.ts'
import { fileSortQuery, flag, instant, moment, nextCursor, pageQuery } from './list.ts'
import { listedType, mimeType } from './mime-type.ts'
import {
  fileName,
  filePath,
  folder,
  foldersInOrder,
  hasFoldersInOrder,
  onConflict,
  orderOf,
  pathQuery,
} from './paths.ts'
import { plainText } from './text.ts'
import { PARTS_MAX, partSizeBytes, putHeaders, uploadPart } from './upload-part.ts'

const uploadsFiles = { service: 'files', access: 'files:write', verb: 'upload' } as const
const readsFiles = { service: 'files', access: 'files:read', verb: 'read' } as const

export const fileStatus = z.enum(['uploading', 'hot', 'synced', 'cold', 'error'])
export type FileStatus = z.infer<typeof fileStatus>

export const file = z
  .object({
    id: uuid,
    name: z.string(),
    path: z.string().describe('Folders and `name`: `2026/photos/beach.jpg`'),
    mimeType: z.string(),
    sizeBytes: z.int(),
    vaultId: uuid,
    status: fileStatus,
    storageNetworkBlobId: z
      .string()
      .nullable()
      .describe('ID of the content on the most preferred network that has a copy; null without a copy'),
    wrappedKey: z.string().nullable().describe('Private vaults: the encrypted file key, as the client sent it'),
    encryptionIv: z.string().nullable(),
    plaintextSizeBytes: z.int().nullable(),
    plaintextChecksumSha256: z.string().nullable(),
    error: z.string().nullable().describe('Why the file is in `error`, as a sentence'),
    errorCode: z.string().nullable(),
    checksumSha256: z
      .string()
      .nullable()
      .describe('SHA-256 of the stored bytes; null until the first copy, unless uploaded in one request'),
    expectedBlobId: z.string().nullable().describe('The future `storageNetworkBlobId`, if already known'),
    inHotCache: z.boolean().describe('Whether hot storage has the bytes'),
    rehydrating: z.boolean().describe('Whether the bytes are being restored to hot storage'),
    syncAttempts: z.int(),
    leaseExpiresAt: instant
      .nullable()
      .describe('When the first lease of its copies expires; leases are renewed before'),
    hotUntil: instant.nullable().describe('When the bytes may be removed from hot storage'),
    createdAt: instant,
    updatedAt: instant,
    confirmedAt: instant.nullable(),
    syncedAt: instant.nullable(),
    evictedAt: instant.nullable(),
    deletedAt: instant.nullable(),
    replaces: uuid.nullable().describe('The file that this file replaced at its path, and that moved to the trash'),
    replacedBy: uuid.nullable().describe('In the trash: the file that replaced this file at its path'),
    metadata: z.record(z.string(), z.string()),
    tags: z.array(z.string()),
    sealedMetadata: z.string().nullable(),
    expiresAt: instant.nullable().describe('When the file automatically moves to the trash; null: never'),
    awaitingReview: z.boolean().describe('Not yet published: only the owner can list and read the file'),
  })
  .meta({ id: 'File' })
export type File = z.infer<typeof file>

export const writtenFile = file.partial().required({ id: true, status: true }).meta({
  id: 'WrittenFile',
  description: 'Without the right to read files, only `id` and `status`, except when a key confirms its own upload',
})

export const fileParams = z.object({ fileId: uuid })

export const sha256Hex = z.string().regex(/^[0-9a-fA-F]{64}$/, { error: 'Must be 64 hexadecimal digits' })
const opaque = (maxLength: number) =>
  z
    .string()
    .min(1)
    .max(maxLength)
    .regex(/^[\x20-\x7e]+$/, { error: 'Must be printable ASCII' })

export const wrappedKey = opaque(4096)

/** Files in private vaults have all four, files in public vaults none (docs/reference/http/files.md). */
export const encryptionFields = {
  wrappedKey: wrappedKey.nullish(),
  encryptionIv: opaque(256).nullish(),
  plaintextSizeBytes: z.int().nonnegative().nullish(),
  plaintextChecksumSha256: sha256Hex.nullish(),
}

export const requestUpload = endpoint({
  method: 'POST',
  path: '/api/files/upload',
  ...uploadsFiles,
  summary: 'Request an upload',
  description:
    'Creates the file and returns a presigned URL. PUT the bytes there, then confirm. With `partSizeBytes`, each part has its own URL.',
  headers: z.object({ ...idempotencyHeaders.shape, ...pathConditions }),
  body: z
    .object({
      id: givenId,
      name: fileName.optional().describe('Alternatively, send `path`'),
      path: filePath.optional().describe('Instead of `name`: folders and the name'),
      onConflict: onConflict
        .default('keep')
        .describe(
          `${onConflict.description}; applied at the confirm. With If-Match or If-None-Match, \`keep\` counts as \`replace\``,
        ),
      ...labelFields,
      expiresAt: moment
        .nullish()
        .describe('When the file automatically moves to the trash; null: never; omitted: the default of the vault'),
      awaitingReview: z
        .boolean()
        .nullish()
        .describe('Hides the file from everyone but the owner until it is published'),
      mimeType,
      sizeBytes: z
        .int()
        .nonnegative()
        .meta({ examples: [482_113] }),
      vaultId: idOrUnknown,
      ...encryptionFields,
      checksumSha256: sha256Hex
        .nullish()
        .describe('SHA-256 of the bytes that you will PUT; verified when they are copied'),
      partSizeBytes,
      autoConfirm: z
        .boolean()
        .nullish()
        .describe(
          'If you do not confirm, the service confirms once all bytes have arrived. It checks after one minute, then less often, and when the upload would expire',
        ),
      put: z
        .literal('once')
        .nullish()
        .describe(
          'The response has more `headers`; send all of them. Object storage then keeps the first complete PUT, and no later PUT changes it. Not with `partSizeBytes`',
        ),
    })
    .refine(({ name, path }) => (name === undefined) !== (path === undefined), {
      path: ['path'],
      error: 'Must be sent, or name, and not both',
    })
    .refine(isSealedOrOpen, sealedOrOpen)
    .refine(({ put, partSizeBytes }) => put == null || partSizeBytes == null, {
      path: ['put'],
      error: 'Must not be sent with partSizeBytes',
    })
    .refine(({ sizeBytes, partSizeBytes }) => partSizeBytes == null || sizeBytes <= partSizeBytes * PARTS_MAX, {
      path: ['partSizeBytes'],
      error: `Must be large enough for at most ${PARTS_MAX} parts`,
    }),
  success: {
    status: 201,
    schema: z.object({
      fileId: uuid,
      uploadUrl: z.string().describe('PUT the bytes here before `expiresAt`, with exactly these `headers`'),
      method: z.literal('PUT'),
      headers: putHeaders,
      expiresAt: instant,
      parts: z
        .array(uploadPart)
        .optional()
        .describe('With `partSizeBytes`: the first 1,000 parts. `uploadUrl` is the URL of the first'),
    }),
  },
  errors: [
    'not_found',
    'path_too_long',
    'too_large',
    'too_many_open_uploads',
    'quota_exceeded',
    'key_bytes_spent',
    'path_taken',
    'precondition_failed',
    'id_taken',
    'state_conflict',
    'idempotency_key_reused',
    'unavailable',
  ],
})

export const confirmUpload = endpoint({
  method: 'POST',
  repeatable: true,
  path: '/api/files/:fileId/confirm',
  ...uploadsFiles,
  summary: 'Confirm an upload',
  description:
    'Checks that the bytes have arrived. The file is then hot, readable, and immutable. You can repeat the request.',
  params: fileParams,
  success: { status: 200, schema: writtenFile },
  errors: [
    'not_found',
    'upload_incomplete',
    'upload_mismatch',
    'upload_lost',
    'path_taken',
    'precondition_failed',
    'confirm_in_progress',
    'unavailable',
  ],
})

const folders = z.array(folder).describe('With `delimiter`: the folders of this page, in the order of the list')

export const listFiles = endpoint({
  method: 'GET',
  path: '/api/files',
  ...readsFiles,
  summary: 'List files',
  description:
    'Newest first by default. `meta.KEY=VALUE`, repeatable, selects files with these pairs in their metadata. If filters exclude almost everything, pages before the last one may be short or empty.',
  query: z
    .object({
      ...pageQuery,
      ...fileSortQuery,
      ...pathQuery,
      ...labelQuery,
      vaultId: idOrUnknown.optional(),
      status: z
        .union([fileStatus, z.array(fileStatus).min(1)])
        .transform((status) => (Array.isArray(status) ? status : [status]))
        .optional()
        .describe('Repeatable; any of them'),
      trashed: flag.optional().describe('List files in the trash instead'),
      awaitingReview: flag.optional().describe('`true`: only files that await review. `false`: only the others'),
      mimeType: listedType.optional(),
      q: plainText(1, 255).optional().describe('Part of the name, case-insensitive'),
      createdAfter: moment.optional(),
      createdBefore: moment.optional(),
    })
    .refine(
      ({ vaultId, trashed = false, prefix, ...by }) => {
        return (
          (orderOf({ prefix, ...by }).sortBy !== 'path' && prefix === undefined) || (vaultId !== undefined && !trashed)
        )
      },
      { path: ['vaultId'], error: 'Must be sent with prefix, delimiter and sortBy=path, and trashed must not' },
    )
    .refine(hasFoldersInOrder, foldersInOrder),
  success: { status: 200, schema: z.object({ files: z.array(file), folders: folders.optional(), nextCursor }) },
  errors: [],
})

export const readFile = endpoint({
  method: 'GET',
  path: '/api/files/:fileId',
  ...readsFiles,
  summary: 'Read a file’s record',
  description: 'The response has the ETag of the record for `If-Match`. It changes with each change by clients.',
  params: fileParams,
  success: { status: 200, schema: file },
  errors: ['not_found'],
})
