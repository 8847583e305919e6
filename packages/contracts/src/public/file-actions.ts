import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { auditOrigin, eventDetails } from './audit-event.ts'
import { fileParams, fileStatus, wrappedKey, writtenFile } from './files.ts'
import { idOrUnknown, uuid } from './id.ts'
import { metadataPatch, sealedMetadata, tags } from './labels.ts'
import { instant, moment, nextCursor, pageQuery } from './list.ts'
import { fileName, filePath, onConflict } from './paths.ts'

const changesFiles = { service: 'files', access: 'files:write', verb: 'change' } as const
const readsFiles = { service: 'files', access: 'files:read', verb: 'read' } as const

const copyStates = ['planned', 'lost', 'stored', 'proved', 'failed', 'dropping', 'dropped'] as const

export const copy = z
  .object({
    network: z.string().describe('The network’s name in this installation'),
    driver: z.string().nullable().describe('Its kind, e.g. `embedded`; null if it is no longer configured'),
    blobId: z.string().nullable().describe('Set once stored; stays afterwards'),
    state: z
      .enum(copyStates)
      .describe(
        'planned: to be stored. stored: on the network. proved: read back in full, bytes verified. lost: no longer on the network, being stored again. failed: given up until a retry. dropping, dropped: removed on purpose',
      ),
    storedAt: instant.nullable(),
    provedAt: instant.nullable().describe('When it was last read back in full'),
    checkedAt: instant.nullable().describe('When it was last checked'),
    checks: z.object({ ok: z.int(), failed: z.int() }).describe('Checks that passed and failed, proofs included'),
    leaseExpiresAt: instant.nullable().describe('Renewed before it ends; null if kept without a term'),
  })
  .meta({ id: 'Copy' })
export type Copy = z.infer<typeof copy>

export const updateFile = endpoint({
  method: 'PATCH',
  path: '/api/files/:fileId',
  ...changesFiles,
  summary: 'Update a file',
  description:
    'Renames it, moves it to another folder or to another vault of the same visibility or, in a private vault, replaces its wrapped key. The bytes never change.',
  params: fileParams,
  body: z
    .object({
      name: fileName.optional().describe('In the folder where it is'),
      path: filePath.optional().describe('In place of `name`: folders and the name'),
      onConflict: onConflict.optional(),
      vaultId: idOrUnknown.optional(),
      metadata: metadataPatch.nullish().describe('Merged with what is there: null removes a pair, or all'),
      tags: tags.nullish().describe('In place of those that are there'),
      sealedMetadata: sealedMetadata.nullish(),
      expiresAt: moment.nullish().describe('When it goes to the trash by itself; null: never'),
      wrappedKey: wrappedKey.optional().describe('Private vaults: the same file key, wrapped anew'),
    })
    .refine(({ name, path }) => name === undefined || path === undefined, {
      path: ['path'],
      error: 'Must not be sent with name',
    })
    .refine(({ vaultId, onConflict: how = 'keep' }) => vaultId === undefined || how === 'keep', {
      path: ['onConflict'],
      error: 'Must be keep with vaultId',
    }),
  success: { status: 200, schema: writtenFile },
  errors: ['not_found', 'path_too_long', 'visibility_mismatch', 'path_taken', 'state_conflict', 'unavailable'],
})

export const retryFile = endpoint({
  method: 'POST',
  path: '/api/files/:fileId/retry',
  ...changesFiles,
  summary: 'Retry a failed file',
  description:
    'Takes a file out of `error` as long as its bytes are anywhere, and stores copies again that were given up.',
  params: fileParams,
  success: { status: 200, schema: writtenFile },
  errors: ['not_found', 'state_conflict', 'unavailable'],
})

export const rehydrateFile = endpoint({
  method: 'POST',
  repeatable: true,
  path: '/api/files/:fileId/rehydrate',
  ...changesFiles,
  summary: 'Bring a cold file back to hot storage',
  description:
    'For a limited time, to make reads faster. The status stays `cold`; `rehydrating` and `inHotCache` show the progress.',
  params: fileParams,
  success: { status: 200, schema: writtenFile },
  errors: ['not_found'],
})

export const readCopies = endpoint({
  method: 'GET',
  path: '/api/files/:fileId/copies',
  ...readsFiles,
  summary: 'List a file’s copies',
  description:
    'One entry for each storage network, in the order in which they are read: what was stored, proved and checked, and when.',
  params: fileParams,
  success: { status: 200, schema: z.object({ copies: z.array(copy) }) },
  errors: ['not_found'],
})

export const readTimeline = endpoint({
  method: 'GET',
  path: '/api/files/:fileId/timeline',
  ...readsFiles,
  summary: 'Read a file’s timeline',
  description: 'Every change of state, every attempt and its outcome, oldest first. New types may be added.',
  params: fileParams,
  query: z.object(pageQuery),
  success: {
    status: 200,
    schema: z.object({
      timeline: z.array(
        z
          .object({
            id: uuid,
            type: z.string().describe('e.g. `file.hot`, `copy.proved`, `store.failed`; more may come'),
            at: instant,
            status: fileStatus.nullable().describe('The new status, if it changed'),
            details: eventDetails,
            actor: auditOrigin.shape.actor
              .nullable()
              .describe('Who did it; null: follows by itself from what was done'),
            clientAddress: auditOrigin.shape.clientAddress,
            requestId: auditOrigin.shape.requestId,
          })
          .meta({ id: 'TimelineEntry' }),
      ),
      nextCursor,
    }),
  },
  errors: ['not_found'],
})
