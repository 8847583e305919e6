import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { auditActor } from './audit-event.ts'
import { fileFailure } from './file-failure.ts'
import { uuid } from './id.ts'
import { instant, nextCursor, pageQuery } from './list.ts'
import { onConflict } from './paths.ts'

const readsFiles = { service: 'files', access: 'files:read', verb: 'read' } as const

/** The kinds are in `bulk-jobs/kinds` and `export/job`. */
export const jobKind = z.enum(['move', 'copy', 'trash', 'restore', 'delete', 'publish', 'export'])
export type JobKind = z.infer<typeof jobKind>

export const jobState = z.enum(['queued', 'running', 'done', 'failed', 'cancelled'])

/** Number of failures that a job lists. It counts all of them. */
export const JOB_FAILURES_MAX = 100

const jobFailure = z.object({ fileId: uuid, path: z.string(), code: fileFailure }).meta({ id: 'JobFailure' })
export type JobFailure = z.infer<typeof jobFailure>

export const job = z
  .object({
    id: uuid,
    kind: jobKind,
    state: jobState.describe(
      'queued: waits for earlier jobs of the vault. done: processed every file, even if some failed. failed: stopped before the last file. cancelled: changes nothing more',
    ),
    vaultId: uuid.nullable(),
    prefix: z.string().nullable().describe('The vault whose files the job processes'),
    to: z.string().nullable().describe('Target folder of the files'),
    toVaultId: uuid.nullable().describe('Target vault; null: the same vault'),
    onConflict: onConflict.nullable(),
    done: z.int().describe('Files changed so far'),
    failed: z.int().describe('Files that the job could not change'),
    failures: z.array(jobFailure).describe(`The first ${JOB_FAILURES_MAX} failed files`),
    errorCode: z.string().nullable(),
    error: z.string().nullable().describe('Why the job failed, as a sentence'),
    actor: auditActor.nullable().describe('Who requested the job'),
    createdAt: instant,
    startedAt: instant.nullable(),
    updatedAt: instant,
    finishedAt: instant.nullable().describe('When the job finished; it stays listed for some time'),
  })
  .meta({
    id: 'Job',
    description:
      'Without the right to read files: state, counts, and times of a job. Other fields are null, and `failures` is empty',
  })
export type Job = z.infer<typeof job>

const jobParams = z.object({ jobId: uuid })

export const listJobs = endpoint({
  method: 'GET',
  path: '/api/jobs',
  ...readsFiles,
  summary: 'List jobs',
  description: 'Newest first. Finished jobs stay listed for some time.',
  query: z.object(pageQuery),
  success: { status: 200, schema: z.object({ jobs: z.array(job), nextCursor }) },
  errors: [],
})

export const readJob = endpoint({
  method: 'GET',
  path: '/api/jobs/:jobId',
  ...readsFiles,
  summary: 'Read a job',
  params: jobParams,
  success: { status: 200, schema: job },
  errors: ['not_found'],
})

export const cancelJob = endpoint({
  method: 'POST',
  repeatable: true,
  path: '/api/jobs/:jobId/cancel',
  service: 'files',
  access: 'files:write',
  verb: 'change',
  summary: 'Cancel a job',
  description:
    'After the response, the job changes nothing more. Completed changes remain. A finished job is returned unchanged.',
  params: jobParams,
  success: { status: 200, schema: job },
  errors: ['not_found'],
})
