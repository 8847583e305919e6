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
    'Lists by `delimiter` tell the folder, and those that it is in, though no file is in it. Files need no folder that was kept.',
  errors: ['not_found', 'validation_failed', 'path_too_long', 'too_many_folders'],
})

export const forgetFolder = endpoint({
  ...shared,
  method: 'DELETE',
  verb: 'delete',
  summary: 'Keep a folder no longer',
  description: 'Lists tell it from now on only while a file is in it. Its files stay.',
  errors: ['not_found', 'validation_failed', 'path_too_long'],
})
