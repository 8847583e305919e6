import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { fileParams } from './files.ts'
import { instant } from './list.ts'

const readsFiles = { service: 'files', access: 'files:read', verb: 'read' } as const

/** Where to get the bytes of a file without credentials. */
export const download = z
  .object({
    downloadUrl: z.string(),
    expiresAt: instant,
    source: z.enum(['hot', 'network']),
  })
  .meta({ id: 'Download' })

const disposition = z
  .enum(['attachment'])
  .optional()
  .describe('`attachment`: browsers save the file under its name instead of showing it')

export const downloadFile = endpoint({
  method: 'GET',
  path: '/api/files/:fileId/download',
  ...readsFiles,
  summary: 'Get a download URL',
  description:
    'The URL needs no credentials and expires. `source` states whether the bytes come from hot storage or from a storage network.',
  params: fileParams,
  query: z.object({ disposition }),
  success: { status: 200, schema: download },
  errors: ['not_found', 'not_downloadable', 'content_lost', 'key_bytes_spent', 'unavailable'],
})

export const signedDownload = endpoint({
  method: 'GET',
  path: '/api/downloads/:fileId',
  service: 'files',
  access: 'public',
  summary: 'Download through a signed URL',
  description: 'The target of a `downloadUrl` with source `network`. Supports single ranges.',
  params: fileParams,
  query: z.object({ expires: z.string(), signature: z.string(), disposition }),
  success: { status: 200, bytes: true },
  errors: ['not_found', 'content_lost', 'range_not_satisfiable', 'unavailable', 'restoring'],
})
