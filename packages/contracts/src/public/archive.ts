import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { pathPrefix } from './paths.ts'
import { vaultParams } from './vaults.ts'

export const readArchive = endpoint({
  method: 'GET',
  path: '/api/vaults/:vaultId/archive',
  service: 'files',
  access: 'files:read',
  verb: 'read',
  summary: 'Download many files as a ZIP',
  description:
    'The confirmed files of a vault, or those below `prefix`, by path and without compression. Files of private vaults stay encrypted. Created while it is sent. Bytes and ETag stay the same while the files do: resume an interrupted download with `Range` and `If-Range`.',
  params: vaultParams,
  query: z.object({ prefix: pathPrefix.optional() }),
  success: { status: 200, bytes: true },
  errors: ['not_found', 'content_lost', 'too_large', 'key_bytes_spent', 'range_not_satisfiable', 'unavailable'],
})
