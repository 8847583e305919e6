import { type AccountJobRow, seenJobs } from '@tideport/bulk-jobs/jobs/account-job'
import type { AccountPrincipal } from '@tideport/contracts/internal/principal'
import type { Job } from '@tideport/contracts/public/jobs'
import type { RawBuilder } from 'kysely'
import { z } from 'zod'
import { prefixesOf, vaultsOf } from '../calls/enforce-key-limits.ts'

const shown = z.object({
  prefix: z.string().nullable().default(null),
  to: z.string().nullable().default(null),
  onConflict: z.enum(['keep', 'fail', 'replace']).nullable().default(null),
})

export function toJob(row: AccountJobRow): Job {
  const { id, kind, state, vaultId, toVaultId, done, failed, failures, errorCode, error, actor } = row
  return {
    ...{ id, kind, state, vaultId, toVaultId, ...shown.parse(row.request) },
    ...{ done, failed, failures, errorCode, error, actor },
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    updatedAt: row.updatedAt.toISOString(),
    finishedAt: row.finishedAt?.toISOString() ?? null,
  }
}

/** Jobs within a caller's limits. A key with prefixes sees only the jobs that it requested itself. */
export function jobsSeenBy(principal: AccountPrincipal): RawBuilder<unknown> {
  const { accountId, keyId } = principal
  // Only keys have limits. Without a key ID, no job is visible.
  const isOwn = prefixesOf(principal) === null ? null : (keyId ?? 'none')
  return seenJobs(accountId, { vaultIds: vaultsOf(principal), keyId: isOwn })
}
