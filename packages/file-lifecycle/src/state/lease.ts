import { type Kysely, type RawBuilder, sql } from 'kysely'
import { timelinePayload } from './append-event.ts'
import { type GuardedUpdate, guardedUpdate } from './guarded-update.ts'
import type { FileRow, FilesDb } from './tables.ts'

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

/** The network keeps the copy until the new end. */
export function recordRenewal(
  db: Kysely<FilesDb>,
  file: FileRow,
  { leaseExpiresAt }: { leaseExpiresAt: Date | null },
): Promise<FileRow | null> {
  const set = sql`lease_expires_at = ${leaseExpiresAt}, leased_at = now(), renew_due_at = ${renewalDue(leaseExpiresAt)}`
  const payload = timelinePayload({ leaseExpiresAt: leaseExpiresAt?.toISOString() ?? null })
  return updateLease(db, file, { set, event: { type: 'lease.renewed', payload } })
}

/** The network would not renew: asked again after `delaySeconds`, for as long as it takes. */
export function recordRenewalFailure(
  db: Kysely<FilesDb>,
  file: FileRow,
  { reason, delaySeconds }: { reason: string; delaySeconds: number },
): Promise<FileRow | null> {
  const set = sql`renew_due_at = now() + make_interval(secs => ${delaySeconds})`
  const payload = timelinePayload({ reason, delaySeconds })
  return updateLease(db, file, { set, event: { type: 'lease.refused', payload } })
}

/** A copy in the trash is kept until it is purged, so its lease is too. */
function updateLease(
  db: Kysely<FilesDb>,
  file: FileRow,
  change: Pick<GuardedUpdate, 'set' | 'event'>,
): Promise<FileRow | null> {
  return guardedUpdate(db, { ...change, file, from: ['synced', 'cold'], byClaim: true, inTrashToo: true })
}
