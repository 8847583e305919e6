import { z } from 'zod'
import { endpoint } from '../endpoint/endpoint.ts'
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
    'By a job: all confirmed files outside the trash, packed in CARs of up to 256 MiB, and manifests that say what is where, as files of a private vault that is made for them, `toVaultId`. They count in the quota. Needs `files:read` as well.',
  headers: idempotencyHeaders,
  body: z.object({ filesExpireAfterSeconds }),
  success: { status: 201, schema: job },
  errors: ['quota_exceeded', 'too_many_jobs', 'idempotency_key_reused'],
})
