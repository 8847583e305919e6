import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { uuid } from './id.ts'
import { jobState } from './jobs.ts'
import { instant, nextCursor, pageQuery } from './list.ts'

export const runKind = z.enum(['reconcile', 'verify'])
export type RunKind = z.infer<typeof runKind>

export const RUN_FINDINGS_MAX = 200

const run = z
  .object({
    id: uuid,
    kind: runKind,
    state: jobState.describe('failed: given up, `error` says why; `place` is where another one may begin'),
    dryRun: z.boolean(),
    after: uuid.nullable(),
    sample: z.int().nullable(),
    network: z.string().nullable(),
    place: z.string().nullable().describe('How far it is: after this file; of a sample, how many files are left'),
    counts: z
      .record(z.string(), z.int())
      .describe('What was found, by the words of `operator reconcile` and `operator verify`'),
    findings: z
      .array(z.record(z.string(), z.string()))
      .describe(`The first ${RUN_FINDINGS_MAX} files that are not as they should be, and what was done about each`),
    error: z.string().nullable().describe('Why it failed last, also while it is tried again'),
    accountId: uuid.describe('Of the operator who started it'),
    subject: z.string().nullable(),
    createdAt: instant,
    startedAt: instant.nullable(),
    updatedAt: instant,
    finishedAt: instant.nullable(),
  })
  .meta({ id: 'OperatorRun' })

const shared = { service: 'files', access: 'operator' } as const
const runParams = z.object({ runId: uuid })

export const startRun = endpoint({
  ...shared,
  method: 'POST',
  path: '/api/operator/runs',
  summary: 'Start reconcile or verify',
  description:
    'Goes on by itself, also when processes die, one of a kind at a time. `reconcile` compares rows with what S3 and the networks hold and, unless it is a dry run, brings the rows to it; it deletes nothing anywhere. `verify` reads copies back in full, no faster than checks may; a dry run tells how many copies and bytes that would be.',
  body: z.object({
    kind: runKind,
    dryRun: z.boolean().default(true),
    after: uuid.optional().describe('Of reconcile: files after this id'),
    sample: z.int().min(1).max(1_000_000).optional().describe('Of verify: so many files at random; else all'),
    network: z.string().min(1).max(32).optional().describe('Of verify: on this network alone'),
  }),
  success: { status: 201, schema: run },
  errors: ['state_conflict'],
})

export const listRuns = endpoint({
  ...shared,
  method: 'GET',
  path: '/api/operator/runs',
  summary: 'List runs',
  description: 'Newest first, those that are over for as long as jobs are kept.',
  query: z.object(pageQuery),
  success: { status: 200, schema: z.object({ runs: z.array(run), nextCursor }) },
  errors: [],
})

export const readRun = endpoint({
  ...shared,
  method: 'GET',
  path: '/api/operator/runs/:runId',
  summary: 'Read a run',
  params: runParams,
  success: { status: 200, schema: run },
  errors: [],
})

export const cancelRun = endpoint({
  ...shared,
  method: 'POST',
  repeatable: true,
  path: '/api/operator/runs/:runId/cancel',
  summary: 'Cancel a run',
  description: 'It ends within seconds; what it has done stays done. One that is over is answered as it is.',
  params: runParams,
  success: { status: 200, schema: run },
  errors: [],
})
