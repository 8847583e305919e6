import { type RawBuilder, sql } from 'kysely'
import { CLAIM_SECONDS } from './state.ts'
import type { CopyRow } from './tables.ts'

const MARGIN_DAYS = 14
const MARGIN_SHARE = 4
const DAY_MS = 86_400_000

/**
 * How much of a lease has to be left for its copy to be relied on: the larger of 14 days and a quarter of its whole
 * life.
 */
export function leaseMargin(life: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`greatest(make_interval(days => ${MARGIN_DAYS}), (${life}) / ${MARGIN_SHARE}::float8)`
}

/** The same of a life in milliseconds. */
export function leaseMarginMs(lifeMs: number): number {
  return Math.max(MARGIN_DAYS * DAY_MS, lifeMs / MARGIN_SHARE)
}

/** A network that grants next to nothing is not asked all the time. */
const LEAST_PAUSE_SECONDS = 3600

/**
 * When a lease that begins now and ends then is to be renewed: when less than its margin remains. Null where copies do not expire.
 */
function renewalDue(end: RawBuilder<unknown>): RawBuilder<Date | null> {
  return sql`case when ${end} is not null then greatest(now() + make_interval(secs => ${LEAST_PAUSE_SECONDS}),
    ${end} - ${leaseMargin(sql`${end} - now()`)}) end`
}

/** Assignments to a copy whose lease begins now and ends then; or that keeps the one it has, which ends then. */
export function begunLease(
  end: RawBuilder<unknown>,
  { if: begins = sql`true` }: { if?: RawBuilder<unknown> } = {},
): RawBuilder<unknown> {
  return sql`lease_expires_at = ${end}, leased_at = case when ${begins} then now() else leased_at end,
    renew_due_at = case when ${begins} then ${renewalDue(end)} else renew_due_at end`
}

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
