import { type RawBuilder, sql } from 'kysely'

/** A network that grants next to nothing is not asked all the time. */
const LEAST_PAUSE_SECONDS = 3600

/**
 * When a lease that begins now is to be renewed: when less than the larger of 14 days and a quarter of it remains. Null
 * where copies do not expire.
 */
export function renewalDue(leaseExpiresAt: Date | null): RawBuilder<Date | null> {
  const end = sql`${leaseExpiresAt}::timestamptz`
  return sql`case when ${end} is not null then greatest(now() + make_interval(secs => ${LEAST_PAUSE_SECONDS}),
    ${end} - greatest(interval '14 days', (${end} - now()) / 4)) end`
}
