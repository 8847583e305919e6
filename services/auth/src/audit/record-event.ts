import type { AuditRecord } from '@tideport/contracts/internal/audit-record'
import type { AuditEvent, AuditKind, AuditOrigin } from '@tideport/contracts/public/audit-event'
import { forgetRows } from '@tideport/service-kit/postgres/forget-rows'
import { every, type PeriodicTask } from '@tideport/service-kit/process/every'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { type Kysely, sql, type Transaction } from 'kysely'
import { v7 as uuidv7 } from 'uuid'
import type { ApiKeyRow, AuthDb } from '../tables.ts'

export interface AuditEntry extends Pick<AuditEvent, 'subjectId' | 'details'> {
  accountId: string
  kind: AuditKind
}

/** Writes an entry in the transaction of the change, so that both are committed or neither. */
export async function recordEvent(trx: Transaction<AuthDb>, entry: AuditEntry, origin: AuditOrigin): Promise<void> {
  await recordEvents(trx, [entry], origin)
}

/** Records all changes of one request in one statement, which takes up to 5,000 entries. */
export async function recordEvents(
  trx: Transaction<AuthDb>,
  entries: readonly AuditEntry[],
  { actor, ...where }: AuditOrigin,
): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map((entry) => ({
    ...{ id: uuidv7(), ...entry, ...actor, ...where },
    details: JSON.stringify(entry.details),
  }))
  await trx.insertInto('auditEvent').values(rows).execute()
}

/** Stores an entry from another service. Repeated deliveries are ignored. */
export async function keepRecord(db: Kysely<AuthDb>, record: AuditRecord): Promise<void> {
  const { actor, at, details, ...rest } = record
  await db
    .insertInto('auditEvent')
    .values({ ...rest, ...actor, at: new Date(at), details: JSON.stringify(details) })
    .onConflict((conflict) => conflict.column('id').doNothing())
    .execute()
}

/** Removes a batch of entries that are older than the retention period. Returns their number. */
export async function forgetEvents(db: Kysely<AuthDb>, retentionSeconds: number): Promise<number> {
  return await forgetRows(db, 'audit_event', sql`at < now() - make_interval(secs => ${retentionSeconds})`)
}

const EVERY_MS = 60_000

export function startForgetting(
  db: Kysely<AuthDb>,
  { retentionSeconds, ...options }: { retentionSeconds: number; signal: AbortSignal; log: Log },
): PeriodicTask {
  const forget = async (stopping: AbortSignal) => {
    while (!stopping.aborted && (await forgetEvents(db, retentionSeconds)) > 0);
  }
  return every(EVERY_MS, 'delete expired audit log entries', forget, options)
}

export function keyDetails({ name, keyPrefix, s3AccessKey, scopes, limits, ...row }: ApiKeyRow): AuditEvent['details'] {
  const s3 = s3AccessKey === null ? {} : { s3AccessKeyId: s3AccessKey }
  return { name, keyPrefix, ...s3, scopes, expiresAt: row.expiresAt?.toISOString() ?? null, ...limits }
}
