import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { file, fileName, fileParams, fileStatus, wrappedKey } from './files.ts'
import { instant, nextCursor, pageQuery } from './list.ts'

export const updateFile = endpoint({
  method: 'PATCH',
  path: '/api/files/:fileId',
  service: 'files',
  access: 'files:write',
  summary: 'Rename a file, move it to another vault of the same visibility, or replace its wrapped key',
  params: fileParams,
  body: z.object({
    name: fileName.optional(),
    vaultId: z.string().optional(),
    wrappedKey: wrappedKey.optional().describe('Of files in private vaults: the same key, wrapped anew'),
  }),
  success: { status: 200, schema: file },
  errors: ['not_found', 'visibility_mismatch', 'state_conflict'],
})

export const retryFile = endpoint({
  method: 'POST',
  path: '/api/files/:fileId/retry',
  service: 'files',
  access: 'files:write',
  summary: 'Try a file in error again: hot once more while its bytes are in the hot tier, and synced anew',
  params: fileParams,
  success: { status: 200, schema: file },
  errors: ['not_found', 'state_conflict', 'unavailable'],
})

export const rehydrateFile = endpoint({
  method: 'POST',
  path: '/api/files/:fileId/rehydrate',
  service: 'files',
  access: 'files:write',
  summary: 'Bring the bytes of a cold file back to the hot tier; `rehydrating` and `inHotCache` tell how far it is',
  params: fileParams,
  success: { status: 200, schema: file },
  errors: ['not_found'],
})

export const readTimeline = endpoint({
  method: 'GET',
  path: '/api/files/:fileId/timeline',
  service: 'files',
  access: 'files:read',
  summary: 'What happened to a file: state changes, attempts and their outcomes, oldest first',
  params: fileParams,
  query: z.object(pageQuery),
  success: {
    status: 200,
    schema: z.object({
      timeline: z.array(
        z
          .object({
            id: z.uuid(),
            type: z.string().describe('e.g. `file.hot`, `sync.failed`; more may come'),
            at: instant,
            status: fileStatus.nullable().describe('The new status, where it changed'),
            details: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])),
          })
          .meta({ id: 'TimelineEntry' }),
      ),
      nextCursor,
    }),
  },
  errors: ['not_found'],
})
