import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { file, fileName, fileParams, fileStatus, wrappedKey } from './files.ts'
import { instant, nextCursor, pageQuery } from './list.ts'

const copyStates = ['planned', 'lost', 'stored', 'proved', 'failed', 'dropping', 'dropped'] as const

/** A file's copy on one network, as its row says. */
export const copy = z
  .object({
    network: z.string().describe('The name of the network within this installation'),
    driver: z.string().nullable().describe('What the network is, e.g. `embedded`; null: it is not configured any more'),
    blobId: z.string().nullable().describe('Once it was stored, and for good'),
    state: z
      .enum(copyStates)
      .describe(
        'planned: to be stored. stored: the network has it. proved: it was read back in full. lost: the network had it, it is stored again. failed: given up until a retry. dropping, dropped: let go on purpose',
      ),
    storedAt: instant.nullable(),
    provedAt: instant.nullable().describe('When it was last read back in full'),
    checkedAt: instant.nullable().describe('When it was last looked at'),
    checks: z
      .object({ ok: z.int(), failed: z.int() })
      .describe('How often it was looked at, the proof included, and held or did not'),
    leaseExpiresAt: instant.nullable().describe('Renewed before; null: kept until it is removed'),
  })
  .meta({ id: 'Copy' })
export type Copy = z.infer<typeof copy>

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

export const readCopies = endpoint({
  method: 'GET',
  path: '/api/files/:fileId/copies',
  service: 'files',
  access: 'files:read',
  summary: 'The copies of a file on the storage networks, in the order in which the networks are preferred',
  params: fileParams,
  success: { status: 200, schema: z.object({ copies: z.array(copy) }) },
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
            type: z.string().describe('e.g. `file.hot`, `copy.proved`, `store.failed`; more may come'),
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
