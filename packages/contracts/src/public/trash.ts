import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { recordConditions } from './conditions.ts'
import { file, fileParams, writtenFile } from './files.ts'
import { flag, instant, nextCursor, pageQuery, sortQuery } from './list.ts'

const outcome = z.enum(['released', 'expires'])

const purgeDueAt = instant.nullable().describe('When it is deleted permanently; null: immediately')

/** A file that was trashed with its vault has the vault's `deletedAt`. */
const trashedFile = file.extend({ purgeDueAt }).meta({ id: 'TrashedFile' })
export type TrashedFile = z.infer<typeof trashedFile>

/** The fate of a deleted file's copies. Reveals nothing about equal bytes of other files. */
export const deletedFile = file.extend({
  purgeDueAt,
  networkCopy: outcome.describe(
    'released: this file’s copies are being removed. expires: a network that cannot delete keeps one until `networkCopyExpiresAt`',
  ),
  networkCopyExpiresAt: instant.nullable().describe('When the last copy expires'),
  networkCopies: z
    .array(z.object({ network: z.string(), outcome, expiresAt: instant.nullable() }).meta({ id: 'NetworkCopy' }))
    .describe('The same for each network that has a copy'),
})
export type DeletedFile = z.infer<typeof deletedFile>

const deletion = deletedFile.partial().required({ id: true, status: true, deletedAt: true, purgeDueAt: true }).meta({
  id: 'DeletedFile',
  description: 'Without the right to read files, only `id`, `status`, `deletedAt`, and `purgeDueAt`',
})

export const deleteFile = endpoint({
  method: 'DELETE',
  path: '/api/files/:fileId',
  service: 'files',
  access: 'files:write',
  verb: 'delete',
  summary: 'Delete a file',
  description: 'Moves the file to the trash, or with `permanent` deletes it permanently. Aborts an unconfirmed upload.',
  params: fileParams,
  headers: z.object(recordConditions),
  query: z.object({ permanent: flag.default(false) }),
  success: { status: 200, schema: deletion },
  errors: ['not_found', 'precondition_failed', 'upload_in_progress', 'unavailable'],
})

export const restoreFile = endpoint({
  method: 'POST',
  repeatable: true,
  path: '/api/files/:fileId/restore',
  service: 'files',
  access: 'files:write',
  verb: 'change',
  summary: 'Restore a file',
  description:
    'Restores the file from the trash. A replaced file swaps with the file at its path; for that, a key needs the verb `delete`.',
  params: fileParams,
  success: { status: 200, schema: writtenFile },
  errors: ['not_found', 'state_conflict'],
})

export const listTrash = endpoint({
  method: 'GET',
  path: '/api/trash',
  service: 'files',
  access: 'files:read',
  verb: 'read',
  summary: 'List the trash',
  description: 'Files in the trash, including files of trashed vaults.',
  query: z.object({ ...pageQuery, ...sortQuery }),
  success: { status: 200, schema: z.object({ files: z.array(trashedFile), nextCursor }) },
  errors: [],
})

export const emptyTrash = endpoint({
  method: 'DELETE',
  path: '/api/trash',
  service: 'files',
  access: 'files:write',
  summary: 'Empty the trash',
  description: 'Permanently deletes every file and vault in the trash.',
  success: {
    status: 200,
    schema: z.object({
      purgedFiles: z.int().describe('Files deleted on their own'),
      purgedVaults: z.int().describe('Deleted vaults, with all their files'),
    }),
  },
  errors: [],
})
