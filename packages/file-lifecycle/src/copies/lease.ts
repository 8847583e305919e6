import { leaseMarginMs } from '../state/lease.ts'
import { CLAIM_SECONDS } from '../state/state.ts'
import type { CopyRow } from '../state/tables.ts'

/**
 * Whether more than the margin of its lease is left of a copy. `nowMs` is the database's. Null: kept until removed. The
 * same rule in SQL: `isComplete`.
 */
export function hasEnoughLease(
  { leasedAt }: Pick<CopyRow, 'leasedAt'>,
  leaseExpiresAt: Date | null,
  nowMs: number,
): boolean {
  if (leaseExpiresAt === null) return true
  const lifeMs = leaseExpiresAt.getTime() - (leasedAt?.getTime() ?? nowMs)
  return leaseExpiresAt.getTime() - nowMs > leaseMarginMs(lifeMs)
}

/** The claim that was just taken tells the time of the database. */
export function claimedAtMs({ claimedUntil }: { claimedUntil: Date | null }): number {
  return (claimedUntil?.getTime() ?? 0) - CLAIM_SECONDS * 1000
}
