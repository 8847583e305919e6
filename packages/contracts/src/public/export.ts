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
    'A job packs all confirmed files outside the trash into CARs of up to 256 MiB, with manifests that state where each file is. Without `target`, the CARs become files of a new private vault, `toVaultId`, and count toward the quota. With `target`, they become objects of your bucket, below the folder `to`. Also needs `files:read`.',
  headers: idempotencyHeaders,
  body: z
    .object({ filesExpireAfterSeconds, target: exportTarget.optional() })
    .refine(
      ({ target, filesExpireAfterSeconds: life }) => target === undefined || life === undefined || life === null,
      {
        error: 'Must not be sent with target: only files of a vault expire',
        path: ['filesExpireAfterSeconds'],
      },
    ),
  success: { status: 201, schema: job },
  errors: ['quota_exceeded', 'too_many_jobs', 'idempotency_key_reused'],
})
