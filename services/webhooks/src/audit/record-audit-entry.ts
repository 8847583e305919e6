import type { AuditKind, AuditOrigin } from '@tideport/contracts/public/audit-event'
import { sql, type Transaction } from 'kysely'
import { v7 as newId } from 'uuid'
import type { WebhookRow, WebhooksDb } from '../tables.ts'

export interface AuditEntry {
  kind: AuditKind
  changed?: string[]
  /** Why nobody but we ourselves did it. */
  reason?: string
}

/** In the transaction of the change. Only the host of its URL is recorded: the rest may be a secret. */
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
