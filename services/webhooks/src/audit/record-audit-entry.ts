import type { AuditKind, AuditOrigin } from '@tideport/contracts/public/audit-event'
import { sql, type Transaction } from 'kysely'
import { v7 as newId } from 'uuid'
import type { WebhookRow, WebhooksDb } from '../tables.ts'

export interface AuditEntry {
  kind: AuditKind
  /** The fields that were changed. */
  changed?: string[]
  /** Why nobody but we ourselves did it. */
  reason?: string
}

/**
 * Writes what was done to a webhook, in the transaction that does it. Of its URL only the host: the rest may be a
 * secret. The row's time is the entry's.
 */
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
