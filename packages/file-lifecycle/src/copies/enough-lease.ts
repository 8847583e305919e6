import { CLAIM_SECONDS } from '../state/state.ts'
import type { FileRow } from '../state/tables.ts'

const LEAST_MS = 14 * 24 * 3600 * 1000

/**
 * Whether a copy lives longer than the renewal threshold: the larger of 14 days and a quarter of the lease's whole life. `file`
 * was just claimed, so its claim tells the time of the database. Null: kept until removed.
 */
export function hasEnoughLease(file: Pick<FileRow, 'claimedUntil' | 'leasedAt'>, leaseExpiresAt: Date | null): boolean {
  if (leaseExpiresAt === null) return true
  if (file.claimedUntil === null) return false
  const now = file.claimedUntil.getTime() - CLAIM_SECONDS * 1000
  const lifeMs = leaseExpiresAt.getTime() - (file.leasedAt?.getTime() ?? now)
  return leaseExpiresAt.getTime() - now > Math.max(LEAST_MS, lifeMs / 4)
}
