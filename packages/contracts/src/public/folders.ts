import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { uuid } from './id.ts'
import { anyPath, folder } from './paths.ts'

const shared = {
  path: '/api/vaults/:vaultId/folders/*path',
  service: 'files',
  access: 'files:write',
  params: z.object({ vaultId: uuid, path: anyPath }),
  success: { status: 200, schema: folder },
} as const

export const keepFolder = endpoint({
  ...shared,
  method: 'PUT',
  verb: 'upload',
  summary: 'Keep a folder',
  description:
    'Lists with `delimiter` show the folder and its parents even without files. Files do not need kept folders.',
  errors: ['not_found', 'validation_failed', 'path_too_long', 'too_many_folders'],
})

export const forgetFolder = endpoint({
  ...shared,
  method: 'DELETE',
  verb: 'delete',
  summary: 'Stop keeping a folder',
  description: 'Lists then show the folder only while it contains a file. Its files stay.',
  errors: ['not_found', 'validation_failed', 'path_too_long'],
})
