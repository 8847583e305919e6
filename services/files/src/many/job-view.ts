import type { Job } from '@tideport/contracts/public/jobs'
import type { AccountJobRow } from '@tideport/file-lifecycle/many/account-job'
import { z } from 'zod'

/** What requests of all kinds have that is shown. */
const shown = z.object({
  prefix: z.string().nullable().default(null),
  to: z.string().nullable().default(null),
  onConflict: z.enum(['keep', 'fail', 'replace']).nullable().default(null),
})

/** A job's row as its owner sees it. */
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
