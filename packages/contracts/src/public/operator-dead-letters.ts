import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { uuid } from './id.ts'
import { instant, nextCursor, pageQuery, wholeNumber } from './list.ts'
import { plainText } from './text.ts'

const forOperators = { service: 'files', access: 'operator' } as const

const deadLetterKind = z.enum(['files', 'copies', 'events'])
export type DeadLetterKind = z.infer<typeof deadLetterKind>

/** What all have in common; the rest is null where it does not apply. Names and paths of files are their owners'. */
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
      .describe('Of a file in error: what the rows say of its copies; `lost`: planned anew since'),
    event: z.string().nullable().describe('The event’s type'),
    reason: z.string().nullable().describe('Why it was given up: a word of the table of errors, or a sentence'),
    since: instant.nullable(),
  })
  .meta({ id: 'DeadLetter' })
export type DeadLetter = z.infer<typeof deadLetter>

const filters = {
  error: plainText(1, 64).optional().describe('Given up for this reason only'),
  olderThanSeconds: wholeNumber({ min: 0, max: 315_360_000 }).optional().describe('For so long at least'),
}

export const listDeadLetters = endpoint({
  method: 'GET',
  path: '/api/operator/dead-letters',
  ...forOperators,
  summary: 'List what was given up',
  description:
    'Files in error, copies that were given up of files that are well otherwise, and events that break their contract or have waited for five minutes; longest first, copies network by network. Where filters exclude almost everything, pages may be short or empty before the last one. Costs as much as 5 requests.',
  query: z.object({ ...pageQuery, kind: deadLetterKind, ...filters }),
  success: { status: 200, schema: z.object({ deadLetters: z.array(deadLetter), nextCursor }) },
  errors: [],
})

const REDRIVE_MAX = 100

const redriven = z
  .object({
    fileId: uuid,
    accountId: uuid.nullable(),
    reason: z.string().nullable().describe('Why it was given up'),
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
        'would_be_tried: a dry run. retried: it goes on. settling: work on it may not have ended, try later. wrong_bytes: for ever. no_bytes: until they are restored. changed: somebody was quicker. not_found: not there, or in the trash',
      ),
  })
  .meta({ id: 'Redriven' })

export const redriveDeadLetters = endpoint({
  method: 'POST',
  path: '/api/operator/redrive',
  ...forOperators,
  summary: 'Try again what was given up',
  description: `As its owner could: files in error, or copies on required networks that were given up of files that are well; up to ${REDRIVE_MAX} in a call, named by \`fileIds\` or by the filters. Only says what it would do unless \`dryRun\` is false. What was tried is no dead letter any more: without a dry run, go on with \`cursor\` for what stayed, or begin anew. Costs a request more for every ten files.`,
  body: z.object({
    kind: z.enum(['files', 'copies']).optional().describe('With the filters; `fileIds` are tried as they are'),
    fileIds: z.array(uuid).min(1).max(REDRIVE_MAX).optional(),
    error: filters.error,
    olderThanSeconds: z.int().min(0).max(315_360_000).optional().describe('For so long at least'),
    limit: z.int().min(1).max(REDRIVE_MAX).default(REDRIVE_MAX),
    cursor: pageQuery.cursor,
    dryRun: z.boolean().default(true),
  }),
  success: { status: 200, schema: z.object({ redriven: z.array(redriven), nextCursor }) },
  errors: [],
})
