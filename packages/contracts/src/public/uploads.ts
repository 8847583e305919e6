import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { fileParams } from './files.ts'
import { uuid } from './id.ts'
import { instant } from './list.ts'
import { PART_URLS_MAX, PARTS_MAX, putHeaders, uploadPart } from './upload-part.ts'

const uploadsFiles = { service: 'files', access: 'files:write', verb: 'upload' } as const

export const renewUploadUrls = endpoint({
  method: 'POST',
  repeatable: true,
  path: '/api/files/:fileId/upload-urls',
  ...uploadsFiles,
  summary: 'Renew upload URLs',
  description: 'Returns fresh URLs for parts of an open upload. An upload in one PUT is part 1.',
  params: fileParams,
  body: z.object({ partNumbers: z.array(z.int().min(1).max(PARTS_MAX)).min(1).max(PART_URLS_MAX) }),
  success: {
    status: 200,
    schema: z.object({
      fileId: uuid,
      method: z.literal('PUT'),
      headers: putHeaders,
      expiresAt: instant,
      parts: z.array(uploadPart),
    }),
  },
  errors: ['not_found', 'state_conflict', 'upload_in_progress', 'unavailable'],
})

export const listUploadedParts = endpoint({
  method: 'GET',
  path: '/api/files/:fileId/parts',
  ...uploadsFiles,
  summary: 'List uploaded parts',
  description: 'The received parts of an open upload, so that a client can resume it.',
  params: fileParams,
  success: {
    status: 200,
    schema: z.object({
      partSizeBytes: z.int().nullable(),
      partCount: z.int(),
      parts: z
        .array(z.object({ partNumber: z.int(), sizeBytes: z.int() }))
        .describe('Received parts, by number; for a part sent twice, the later one'),
    }),
  },
  errors: ['not_found', 'state_conflict', 'upload_in_progress', 'upload_lost', 'unavailable'],
})
