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
    state: jobState.describe('failed: `error` states why; another run can start at `place`'),
    dryRun: z.boolean(),
    after: uuid.nullable(),
    sample: z.int().nullable(),
    network: z.string().nullable(),
    place: z
      .string()
      .nullable()
      .describe('Progress: the last processed file; for a sample, the number of remaining files'),
    counts: z
      .record(z.string(), z.int())
      .describe('Counts by the outcomes of `operator reconcile` and `operator verify`'),
    findings: z
      .array(z.record(z.string(), z.string()))
      .describe(`The first ${RUN_FINDINGS_MAX} files with a problem, and the action for each`),
    error: z.string().nullable().describe('The last error, also while the run is retried'),
    accountId: uuid.describe('ID of the operator who started the run'),
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
    'Runs in the background and continues after crashes, one of each kind at a time. `reconcile` compares rows with S3 and the networks and, unless it is a dry run, corrects the rows. It deletes nothing on S3 or networks. `verify` reads copies back in full, at most as fast as regular checks; a dry run counts the copies and bytes.',
  body: z.object({
    kind: runKind,
    dryRun: z.boolean().default(true),
    after: uuid.optional().describe('For reconcile: only files after this ID'),
    sample: z.int().min(1).max(1_000_000).optional().describe('For verify: number of random files; default: all'),
    network: z.string().min(1).max(32).optional().describe('For verify: only this network'),
  }),
  success: { status: 201, schema: run },
  errors: ['state_conflict'],
})

export const listRuns = endpoint({
  ...shared,
  method: 'GET',
  path: '/api/operator/runs',
  summary: 'List runs',
  description: 'Newest first. Finished runs stay listed as long as jobs.',
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
  description: 'The run stops within seconds. Completed changes remain. A finished run is returned unchanged.',
  params: runParams,
  success: { status: 200, schema: run },
  errors: [],
})
