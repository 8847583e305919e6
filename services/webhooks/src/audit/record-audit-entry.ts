import type { AuditKind, AuditOrigin } from '@tideport/contracts/public/audit-event'
import { sql, type Transaction } from 'kysely'
import { v7 as newId } from 'uuid'
import type { WebhookRow, WebhooksDb } from '../tables.ts'

export interface AuditEntry {
  kind: AuditKind
  changed?: string[]
  /** The reason for a change by the system itself. */
  reason?: string
}

/** Writes an entry in the transaction of the change. Records only the host of the URL: the rest may be secret. */
export async function recordAuditEntry(
  trx: Transaction<WebhooksDb>,
  { kind, ...facts }: AuditEntry,
  { id: subjectId, accountId, url, events, active }: WebhookRow,
  origin: AuditOrigin,
): Promise<void> {
  const details = { ...facts, host: new URL(url).host, events, active }
  const id = newId()
  await trx
    .insertInto('auditOutbox')
    .values({
      id,
      at: sql<Date>`now()`,
      record: JSON.stringify({ id, accountId, kind, subjectId, ...origin, details }),
    })
    .execute()
}
