import { CLAIM_SECONDS } from '../state/state.ts'
import type { CopyRow } from '../state/tables.ts'

const LEAST_MS = 14 * 24 * 3600 * 1000

/**
 * Whether a copy lives longer than the renewal threshold: the larger of 14 days and a quarter of the lease's whole life.
 * `nowMs` is the database's. Null: kept until removed. The same rule in SQL: `isComplete`.
 */
export function hasEnoughLease(
  { leasedAt }: Pick<CopyRow, 'leasedAt'>,
  leaseExpiresAt: Date | null,
  nowMs: number,
): boolean {
  if (leaseExpiresAt === null) return true
  const lifeMs = leaseExpiresAt.getTime() - (leasedAt?.getTime() ?? nowMs)
  return leaseExpiresAt.getTime() - nowMs > Math.max(LEAST_MS, lifeMs / 4)
}

/** The claim that was just taken tells the time of the database. */
export function claimedAtMs({ claimedUntil }: { claimedUntil: Date | null }): number {
  return (claimedUntil?.getTime() ?? 0) - CLAIM_SECONDS * 1000
}
