import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { download } from './downloads.ts'
import { fileFailure } from './file-failure.ts'
import { idOrUnknown, uuid } from './id.ts'
import { idempotencyHeaders } from './idempotency.ts'
import { job } from './jobs.ts'
import { moment } from './list.ts'
import { folderPath, onConflict, pathPrefix } from './paths.ts'
import { vaultParams } from './vaults.ts'

export type { FileFailure } from './file-failure.ts'

export const IDS_MAX = 1000

const ids = z.array(idOrUnknown.max(64)).min(1).max(IDS_MAX).describe('Files of this vault; duplicates are ignored')

const oneOf = { path: ['prefix'], error: 'Exactly one of ids and prefix must be sent' }
const isOneOf = (body: { ids?: unknown; prefix?: unknown }) => (body.ids === undefined) !== (body.prefix === undefined)

const byJob = 'All files whose path begins with this, as a job'

/** Empty: all files of the vault. Not for operations that cannot be undone. */
const anyPrefix = z.union([z.literal(''), pathPrefix])

const answer = z
  .object({
    results: z
      .array(
        z
          .object({
            fileId: z.string(),
            code: fileFailure.nullable().describe('Why the file is unchanged; null: success'),
          })
          .meta({ id: 'FileResult' }),
      )
      .nullable()
      .describe('With `ids`: one result for each, in the same order'),
    job: job.nullable().describe('With `prefix`, and for copies: the background job'),
  })
  .meta({ id: 'ManyFiles' })

const shared = {
  method: 'POST',
  service: 'files',
  access: 'files:write',
  params: vaultParams,
  headers: idempotencyHeaders,
  success: { status: 200, schema: answer },
} as const

const errors = ['not_found', 'state_conflict', 'too_many_jobs', 'idempotency_key_reused'] as const

export const moveFiles = endpoint({
  ...shared,
  path: '/api/vaults/:vaultId/move',
  verb: 'change',
  summary: 'Move many files',
  description:
    'Moves files to a folder. With `ids`, files keep only their names; with `prefix`, they keep the path after it. Each file always has either its old or its new path. Unconfirmed uploads do not move.',
  body: z
    .object({
      ids: ids.optional(),
      prefix: folderPath.optional().describe(`${byJob}; a folder`),
      to: folderPath.describe('The target folder, with a slash at its end; empty: no folder'),
      toVaultId: idOrUnknown.optional().describe('Another vault of the same visibility'),
      onConflict: onConflict.default('keep'),
    })
    .refine(isOneOf, oneOf)
    .refine(({ toVaultId, onConflict: how }) => toVaultId === undefined || how === 'keep', {
      path: ['onConflict'],
      error: 'Must be keep with toVaultId',
    }),
  errors: [...errors, 'path_too_long', 'visibility_mismatch'],
})

export const copyFiles = endpoint({
  ...shared,
  path: '/api/vaults/:vaultId/copy',
  verb: 'upload',
  summary: 'Copy many files',
  description:
    'Always a job. A key limited to verbs needs `read` and `upload`. Each copy is an independent file with the same bytes, metadata, and tags. Object storage copies hot bytes itself; cold bytes are read from a network.',
  body: z
    .object({
      ids: z.array(uuid).min(1).max(IDS_MAX).optional().describe('Files of this vault; duplicates are ignored'),
      prefix: folderPath.optional().describe(`${byJob}; a folder`),
      to: folderPath.describe('The folder of the copies, with a slash at its end; empty: no folder'),
      toVaultId: idOrUnknown.optional().describe('Another vault of the same visibility'),
      onConflict: onConflict.default('keep'),
    })
    .refine(isOneOf, oneOf),
  errors: [...errors, 'path_too_long', 'visibility_mismatch', 'key_bytes_spent', 'outside_key_limits'],
})

export const trashFiles = endpoint({
  ...shared,
  path: '/api/vaults/:vaultId/trash',
  verb: 'delete',
  summary: 'Move many files to the trash',
  body: z.object({ ids: ids.optional(), prefix: anyPrefix.optional().describe(byJob) }).refine(isOneOf, oneOf),
  errors,
})

export const restoreFiles = endpoint({
  ...shared,
  path: '/api/vaults/:vaultId/restore-files',
  verb: 'change',
  summary: 'Restore many files',
  description:
    'Restores files from the trash. With `ids`, a replaced file swaps with the file at its path; with `prefix`, it stays in the trash. Keys without the verb `delete` get `path_taken` for swaps. To restore the vault itself, use `/restore`.',
  body: z
    .object({
      ids: ids.optional(),
      prefix: anyPrefix.optional().describe(byJob),
      trashedSince: moment
        .optional()
        .describe(
          'With `prefix`: only files trashed at this time or later, such as `createdAt` of the job that trashed them',
        ),
    })
    .refine(isOneOf, oneOf)
    .refine(({ ids: named, trashedSince }) => named === undefined || trashedSince === undefined, {
      path: ['trashedSince'],
      error: 'Must not be sent with ids',
    }),
  errors,
})

export const publishFiles = endpoint({
  ...shared,
  path: '/api/vaults/:vaultId/publish',
  verb: 'change',
  summary: 'Publish received files',
  description:
    'Publishes files that upload links received for review (`awaitingReview`). Then everyone can list and read them. Publishing cannot be undone and can be repeated.',
  body: z.object({ ids: ids.optional(), prefix: anyPrefix.optional().describe(byJob) }).refine(isOneOf, oneOf),
  errors,
})

export const deleteFiles = endpoint({
  ...shared,
  path: '/api/vaults/:vaultId/delete',
  verb: 'delete',
  summary: 'Delete many files permanently',
  description:
    'With `ids`: files anywhere, including uploads and the trash. With `prefix`: files outside the trash, or in it.',
  body: z
    .object({
      ids: ids.optional(),
      prefix: pathPrefix.optional().describe(byJob),
      trashed: z.boolean().default(false).describe('With `prefix`: files in the trash instead of files outside it'),
    })
    .refine(isOneOf, oneOf),
  errors,
})

export const createDownloadUrls = endpoint({
  method: 'POST',
  repeatable: true,
  path: '/api/vaults/:vaultId/download-urls',
  service: 'files',
  access: 'files:read',
  verb: 'read',
  summary: 'Get URLs to download many files',
  description: 'The response of `GET /api/files/{fileId}/download` for up to 1,000 files of a vault.',
  params: vaultParams,
  body: z.object({ ids }),
  success: {
    status: 200,
    schema: z.object({
      urls: z.array(
        z
          .object({
            fileId: z.string(),
            code: fileFailure.nullable().describe('Why the file has no URL; null: it has one'),
            downloadUrl: download.shape.downloadUrl.nullable(),
            expiresAt: download.shape.expiresAt.nullable(),
            source: download.shape.source.nullable(),
          })
          .meta({ id: 'DownloadUrl' }),
      ),
    }),
  },
  errors: ['not_found', 'key_bytes_spent', 'unavailable'],
})
