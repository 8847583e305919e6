import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { file, fileParams } from './files.ts'
import { flag, instant, nextCursor, pageQuery, sortQuery } from './list.ts'

const outcome = z.enum(['released', 'expires'])

const purgeDueAt = instant.nullable().describe('When it is removed for good; null: at once')

/** `deletedAt` of a file that is in the trash with its vault is the vault's. */
export const trashedFile = file.extend({ purgeDueAt }).meta({ id: 'TrashedFile' })
export type TrashedFile = z.infer<typeof trashedFile>

/** What becomes of a deleted file's copies on the networks; nothing about what others store. */
export const deletedFile = file
  .extend({
    purgeDueAt,
    networkCopy: outcome.describe(
      'released: this file’s copies are given up. expires: a network that cannot delete keeps one until `networkCopyExpiresAt`',
    ),
    networkCopyExpiresAt: instant.nullable().describe('When the last copy ends'),
    networkCopies: z
      .array(z.object({ network: z.string(), outcome, expiresAt: instant.nullable() }).meta({ id: 'NetworkCopy' }))
      .describe('The same for each network that has a copy'),
  })
  .meta({ id: 'DeletedFile' })
export type DeletedFile = z.infer<typeof deletedFile>

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
  success: { status: 200, schema: deletedFile },
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
  description: 'Takes it back out of the trash.',
  params: fileParams,
  success: { status: 200, schema: file },
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
