import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { fileFailure } from './file-failure.ts'
import { download } from './files.ts'
import { idOrUnknown, uuid } from './id.ts'
import { idempotencyHeaders } from './idempotency.ts'
import { job } from './jobs.ts'
import { moment } from './list.ts'
import { folderPath, onConflict, pathPrefix } from './paths.ts'
import { vaultParams } from './vaults.ts'

export type { FileFailure } from './file-failure.ts'

export const IDS_MAX = 1000

const ids = z.array(idOrUnknown.max(64)).min(1).max(IDS_MAX).describe('Files of this vault; each counts once')

const oneOf = { path: ['prefix'], error: 'Exactly one of ids and prefix must be sent' }
const isOneOf = (body: { ids?: unknown; prefix?: unknown }) => (body.ids === undefined) !== (body.prefix === undefined)

const byJob = 'All files whose path begins so, by a job'

/** Empty: all files of the vault. Not where what is done cannot be undone. */
const anyPrefix = z.union([z.literal(''), pathPrefix])

const answer = z
  .object({
    results: z
      .array(
        z
          .object({
            fileId: z.string(),
            code: fileFailure.nullable().describe('Why it was left as it was; null: done'),
          })
          .meta({ id: 'FileResult' }),
      )
      .nullable()
      .describe('With `ids`: one for each, in their order'),
    job: job.nullable().describe('With `prefix`, and of copies: the job, which goes on by itself'),
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
    'To a folder: those that `ids` names keep their names and leave their folders behind, those below the folder `prefix` keep what follows it. Each has its old path or its new one at any time. Uploads that are not confirmed stay where they are.',
  body: z
    .object({
      ids: ids.optional(),
      prefix: folderPath.optional().describe(`${byJob}; a folder`),
      to: folderPath.describe('The folder that they come to, with a slash at its end; empty: none'),
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
    'Always by a job. A key limited to verbs needs `read` and `upload`. Each copy is a file of its own, with the bytes, metadata and tags of the other one, and shares no fate with it. Hot bytes are copied by the object storage itself, cold ones are read from a network.',
  body: z
    .object({
      ids: z.array(uuid).min(1).max(IDS_MAX).optional().describe('Files of this vault; each counts once'),
      prefix: folderPath.optional().describe(`${byJob}; a folder`),
      to: folderPath.describe('The folder of the copies, with a slash at its end; empty: none'),
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
    'Takes them back out of the trash. A file that was replaced swaps when `ids` names it, and stays where it is with `prefix`. A key without the verb `delete` replaces no file: `path_taken`. The vault itself: `/restore`.',
  body: z
    .object({
      ids: ids.optional(),
      prefix: anyPrefix.optional().describe(byJob),
      trashedSince: moment
        .optional()
        .describe(
          'With `prefix`: only what went to the trash then or later, such as `createdAt` of the job that put it there',
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
    'Ends the review of files that upload links received (`awaitingReview`). From then on everyone can list and read them. Publishing cannot be undone and can be repeated.',
  body: z.object({ ids: ids.optional(), prefix: anyPrefix.optional().describe(byJob) }).refine(isOneOf, oneOf),
  errors,
})

export const deleteFiles = endpoint({
  ...shared,
  path: '/api/vaults/:vaultId/delete',
  verb: 'delete',
  summary: 'Delete many files for good',
  description:
    'Those that `ids` names wherever they are, also uploads; those below `prefix` outside the trash, or in it.',
  body: z
    .object({
      ids: ids.optional(),
      prefix: pathPrefix.optional().describe(byJob),
      trashed: z.boolean().default(false).describe('With `prefix`: those in the trash, instead of the others'),
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
  description: 'What `GET /api/files/{fileId}/download` answers, for up to 1,000 files of a vault.',
  params: vaultParams,
  body: z.object({ ids }),
  success: {
    status: 200,
    schema: z.object({
      urls: z.array(
        z
          .object({
            fileId: z.string(),
            code: fileFailure.nullable().describe('Why there is no URL; null: there is'),
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
