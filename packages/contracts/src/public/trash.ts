import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { file, fileParams, writtenFile } from './files.ts'
import { flag, instant, nextCursor, pageQuery, sortQuery } from './list.ts'

const outcome = z.enum(['released', 'expires'])

const purgeDueAt = instant.nullable().describe('When it is removed for good; null: at once')

/** `deletedAt` of a file that is in the trash with its vault is the vault's. */
const trashedFile = file.extend({ purgeDueAt }).meta({ id: 'TrashedFile' })
export type TrashedFile = z.infer<typeof trashedFile>

/** What becomes of a deleted file's copies on the networks; nothing about what others store. */
export const deletedFile = file.extend({
  purgeDueAt,
  networkCopy: outcome.describe(
    'released: this file’s copies are given up. expires: a network that cannot delete keeps one until `networkCopyExpiresAt`',
  ),
  networkCopyExpiresAt: instant.nullable().describe('When the last copy ends'),
  networkCopies: z
    .array(z.object({ network: z.string(), outcome, expiresAt: instant.nullable() }).meta({ id: 'NetworkCopy' }))
    .describe('The same for each network that has a copy'),
})
export type DeletedFile = z.infer<typeof deletedFile>

const deletion = deletedFile.partial().required({ id: true, status: true, deletedAt: true, purgeDueAt: true }).meta({
  id: 'DeletedFile',
  description: 'A caller that may not read files gets `id`, `status`, `deletedAt` and `purgeDueAt` alone',
})

export const deleteFile = endpoint({
  method: 'DELETE',
  path: '/api/files/:fileId',
  service: 'files',
  access: 'files:write',
  verb: 'delete',
  summary: 'Delete a file',
  description:
    'Moves it to the trash, or with `permanent` removes it for good. Aborts an upload that is not confirmed.',
  params: fileParams,
  query: z.object({ permanent: flag.default(false) }),
  success: { status: 200, schema: deletion },
  errors: ['not_found', 'upload_in_progress', 'unavailable'],
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
    'Takes it back out of the trash. A file that was replaced swaps with the file at its path, which a key needs the verb `delete` for.',
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
  description: 'Files in the trash, including those of vaults in the trash.',
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
  description: 'Removes every file and vault in it for good.',
  success: {
    status: 200,
    schema: z.object({
      purgedFiles: z.int().describe('Files deleted on their own'),
      purgedVaults: z.int().describe('Vaults, with all their files'),
    }),
  },
  errors: [],
})
