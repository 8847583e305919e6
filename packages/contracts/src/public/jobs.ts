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

/** Failures that a job tells one by one; it counts them all. */
export const JOB_FAILURES_MAX = 100

const jobFailure = z.object({ fileId: uuid, path: z.string(), code: fileFailure }).meta({ id: 'JobFailure' })
export type JobFailure = z.infer<typeof jobFailure>

export const job = z
  .object({
    id: uuid,
    kind: jobKind,
    state: jobState.describe(
      'queued: others of the vault come first. done: at its end, whatever failed. failed: given up before its end. cancelled: nothing changes any more',
    ),
    vaultId: uuid.nullable(),
    prefix: z.string().nullable().describe('What it is about'),
    to: z.string().nullable().describe('Where files come to'),
    toVaultId: uuid.nullable().describe('And in which vault; null: their own'),
    onConflict: onConflict.nullable(),
    done: z.int().describe('Files that it has changed so far'),
    failed: z.int().describe('Files that it had to leave as they were'),
    failures: z.array(jobFailure).describe(`The first ${JOB_FAILURES_MAX} of them`),
    errorCode: z.string().nullable(),
    error: z.string().nullable().describe('Why it was given up, as a sentence'),
    actor: auditActor.nullable().describe('On whose behalf'),
    createdAt: instant,
    startedAt: instant.nullable(),
    updatedAt: instant,
    finishedAt: instant.nullable().describe('When it was over; kept for some time after that'),
  })
  .meta({
    id: 'Job',
    description:
      'A caller that may not read files gets the state, the counts and the times of a job. The other fields are null, and `failures` is empty',
  })
export type Job = z.infer<typeof job>

const jobParams = z.object({ jobId: uuid })

export const listJobs = endpoint({
  method: 'GET',
  path: '/api/jobs',
  ...readsFiles,
  summary: 'List jobs',
  description: 'Newest first, those that are over for as long as they are kept.',
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
    'From the answer on it changes nothing more; what it has done stays done. One that is over is answered as it is.',
  params: jobParams,
  success: { status: 200, schema: job },
  errors: ['not_found'],
})
