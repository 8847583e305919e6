import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { uuid } from './id.ts'
import { instant, nextCursor, pageQuery, wholeNumber } from './list.ts'
import { plainText } from './text.ts'

const forOperators = { service: 'files', access: 'operator' } as const

const deadLetterKind = z.enum(['files', 'copies', 'events'])
export type DeadLetterKind = z.infer<typeof deadLetterKind>

/** Fields that do not apply are null. Operators never see names and paths of files. */
const deadLetter = z
  .object({
    kind: deadLetterKind,
    id: uuid.describe('The file, or the event'),
    accountId: uuid,
    status: z.string().nullable().describe('The file’s'),
    sizeBytes: z.int().nullable().describe('The file’s'),
    network: z.string().nullable().describe('The copy’s'),
    copies: z
      .array(z.object({ network: z.string(), state: z.string() }))
      .nullable()
      .describe('For a file in error: the recorded states of its copies; `lost`: planned again since'),
    event: z.string().nullable().describe('The event’s type'),
    reason: z.string().nullable().describe('Why it failed permanently: an error word or a sentence'),
    since: instant.nullable(),
  })
  .meta({ id: 'DeadLetter' })
export type DeadLetter = z.infer<typeof deadLetter>

const filters = {
  error: plainText(1, 64).optional().describe('Only dead letters with this reason'),
  olderThanSeconds: wholeNumber({ min: 0, max: 315_360_000 })
    .optional()
    .describe('Only dead letters that are at least this old'),
}

export const listDeadLetters = endpoint({
  method: 'GET',
  path: '/api/operator/dead-letters',
  ...forOperators,
  summary: 'List dead letters',
  description:
    'Files in error, failed copies of other files, and events that are invalid or unpublished for five minutes. Oldest first; copies by network. If filters exclude almost everything, pages before the last one may be short or empty. Costs as much as 5 requests.',
  query: z.object({ ...pageQuery, kind: deadLetterKind, ...filters }),
  success: { status: 200, schema: z.object({ deadLetters: z.array(deadLetter), nextCursor }) },
  errors: [],
})

const REDRIVE_MAX = 100

const redriven = z
  .object({
    fileId: uuid,
    accountId: uuid.nullable(),
    reason: z.string().nullable().describe('Why it failed permanently'),
    since: instant.nullable(),
    outcome: z
      .enum([
        'would_be_tried',
        'retried',
        'settling',
        'not_in_error',
        'wrong_bytes',
        'no_bytes',
        'changed',
        'not_found',
      ])
      .describe(
        'would_be_tried: a dry run. retried: accepted. settling: earlier work may still run, try later. wrong_bytes: permanent. no_bytes: until the bytes are restored. changed: another request changed it first. not_found: unknown or in the trash',
      ),
  })
  .meta({ id: 'Redriven' })

export const redriveDeadLetters = endpoint({
  method: 'POST',
  path: '/api/operator/redrive',
  ...forOperators,
  summary: 'Retry dead letters',
  description: `Retries files in error, or failed copies of other files on required networks, as their owner could: up to ${REDRIVE_MAX} per request, selected by \`fileIds\` or filters. A dry run unless \`dryRun\` is false. Retried files are no longer dead letters: without a dry run, continue with \`cursor\` for the rest, or start again. Costs one more request for every ten files.`,
  body: z.object({
    kind: z.enum(['files', 'copies']).optional().describe('Combined with the filters; ignored with `fileIds`'),
    fileIds: z.array(uuid).min(1).max(REDRIVE_MAX).optional(),
    error: filters.error,
    olderThanSeconds: z
      .int()
      .min(0)
      .max(315_360_000)
      .optional()
      .describe('Only dead letters that are at least this old'),
    limit: z.int().min(1).max(REDRIVE_MAX).default(REDRIVE_MAX),
    cursor: pageQuery.cursor,
    dryRun: z.boolean().default(true),
  }),
  success: { status: 200, schema: z.object({ redriven: z.array(redriven), nextCursor }) },
  errors: [],
})
