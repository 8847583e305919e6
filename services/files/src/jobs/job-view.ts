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

/** Jobs within a caller's limits: one that is limited to prefixes sees those that it has asked for itself. */
export function jobsSeenBy(principal: AccountPrincipal): RawBuilder<unknown> {
  const { accountId, keyId } = principal
  // Limits are those of a key. Without one nothing is seen.
  const isOwn = prefixesOf(principal) === null ? null : (keyId ?? 'none')
  return seenJobs(accountId, { vaultIds: vaultsOf(principal), keyId: isOwn })
}
