import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
import { exportTarget } from './export-target.ts'
import { idempotencyHeaders } from './idempotency.ts'
import { job } from './jobs.ts'
import { filesExpireAfterSeconds } from './vaults.ts'

export const exportAccount = endpoint({
  method: 'POST',
  path: '/api/account/export',
  service: 'files',
  access: 'files:write',
  summary: 'Export your account',
  description:
    'By a job: all confirmed files outside the trash, packed in CARs of up to 256 MiB, and manifests that say what is where. Without `target` they are files of a private vault that is made for them, `toVaultId`, and count in the quota; with it, objects of a bucket of yours, below the folder that `to` tells. Needs `files:read` as well.',
  headers: idempotencyHeaders,
  body: z
    .object({ filesExpireAfterSeconds, target: exportTarget.optional() })
    .refine(
      ({ target, filesExpireAfterSeconds: life }) => target === undefined || life === undefined || life === null,
      {
        error: 'Only files of a vault expire by themselves',
        path: ['filesExpireAfterSeconds'],
      },
    ),
  success: { status: 201, schema: job },
  errors: ['quota_exceeded', 'too_many_jobs', 'idempotency_key_reused'],
})
