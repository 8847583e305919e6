import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { auditOrigin, eventDetails } from './audit-event.ts'
import { recordConditions } from './conditions.ts'
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
    network: z.string().describe('Name of the network in this installation'),
    driver: z.string().nullable().describe('Kind of network, e.g. `embedded`; null if no longer configured'),
    blobId: z.string().nullable().describe('Blob ID on the network; set when stored, and kept afterwards'),
    state: z
      .enum(copyStates)
      .describe(
        'planned: to be stored. stored: on the network. proved: read back in full, bytes verified. lost: no longer on the network, being stored again. failed: needs a retry. dropping, dropped: removed on purpose',
      ),
    storedAt: instant.nullable(),
    provedAt: instant.nullable().describe('When it was last read back in full'),
    checkedAt: instant.nullable().describe('When it was last checked'),
    checks: z.object({ ok: z.int(), failed: z.int() }).describe('Checks that passed and failed, including proofs'),
    leaseExpiresAt: instant
      .nullable()
      .describe('Renewed before it expires; null if the network keeps copies without a lease'),
  })
  .meta({ id: 'Copy' })
export type Copy = z.infer<typeof copy>

export const updateFile = endpoint({
  method: 'PATCH',
  path: '/api/files/:fileId',
  ...changesFiles,
  summary: 'Update a file',
  description:
    'Renames the file, or moves it to another folder or another vault of the same visibility. Changes its metadata, tags, expiry, or (in a private vault) wrapped key. The bytes never change.',
  params: fileParams,
  headers: z.object(recordConditions),
  body: z
    .object({
      name: fileName.optional().describe('New name in the current folder'),
      path: filePath.optional().describe('Instead of `name`: folders and the name'),
      onConflict: onConflict.optional(),
      vaultId: idOrUnknown.optional(),
      metadata: metadataPatch.nullish().describe('Merged with the current metadata; null removes a pair, or all pairs'),
      tags: tags.nullish().describe('Replaces the current tags'),
      sealedMetadata: sealedMetadata.nullish(),
      expiresAt: moment.nullish().describe('When the file automatically moves to the trash; null: never'),
      wrappedKey: wrappedKey.optional().describe('Private vaults: the same file key in a new wrapping'),
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
  errors: [
    'not_found',
    'path_too_long',
    'visibility_mismatch',
    'path_taken',
    'precondition_failed',
    'state_conflict',
    'unavailable',
  ],
})

export const retryFile = endpoint({
  method: 'POST',
  path: '/api/files/:fileId/retry',
  ...changesFiles,
  summary: 'Retry a failed file',
  description: 'Moves a file out of `error` if its bytes exist, and stores failed copies again.',
  params: fileParams,
  success: { status: 200, schema: writtenFile },
  errors: ['not_found', 'state_conflict', 'unavailable'],
})

export const rehydrateFile = endpoint({
  method: 'POST',
  repeatable: true,
  path: '/api/files/:fileId/rehydrate',
  ...changesFiles,
  summary: 'Restore a cold file to hot storage',
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
    'One entry for each storage network, in reading order, with the times of storing, proof, and checks. Recorded facts; the networks are not queried.',
  params: fileParams,
  success: { status: 200, schema: z.object({ copies: z.array(copy) }) },
  errors: ['not_found'],
})

export const readTimeline = endpoint({
  method: 'GET',
  path: '/api/files/:fileId/timeline',
  ...readsFiles,
  summary: 'Read a file’s timeline',
  description: 'Every change of state, every attempt, and its outcome, oldest first. New types may be added.',
  params: fileParams,
  query: z.object(pageQuery),
  success: {
    status: 200,
    schema: z.object({
      timeline: z.array(
        z
          .object({
            id: uuid,
            type: z
              .string()
              .describe(
                '`upload.requested`, `file.hot`, `file.synced`, `file.cold`, `file.error`: the new status. `file.changed`: renamed, moved, re-wrapped, or another expiry (`isRescheduled`). `retry.accepted`, `error.ended`: left `error` by a retry, or by a copy that was stored after all. `copy.planned`, `file.copied`, `copy.proved`: a copy is to be stored, was stored, was read back in full. `copy.mended`: damage next to intact bytes was repaired. `file.copy_lost`, `copy.failed`: the network lost the copy, or never stored it. `copy.leaving`, `copy.dropped`: is being removed, was removed. `store.failed`, `prove.failed`: one attempt failed (`attempt`, `reason`, `delaySeconds`). `evict.begun`: hot storage is released when the last download URL expires. `rehydrate.requested`, `.failed`, `.gave_up`, `.done`, `.dropped`: restoring to hot storage. `link.created`, `link.revoked`, `file.deleted`, `file.restored`, `file.published`. New types may be added',
              ),
            at: instant,
            status: fileStatus.nullable().describe('The new status, if the entry changed it'),
            details: eventDetails,
            actor: auditOrigin.shape.actor.nullable().describe('Who did it; null: an automatic step'),
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
