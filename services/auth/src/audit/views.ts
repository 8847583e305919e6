import type { AuditEvent } from '@tideport/contracts/public/audit-event'
import type { AuditEventRow } from '../tables.ts'

export function toAuditEvent(row: AuditEventRow): AuditEvent {
  const { id, kind, subjectId, method, keyId, keyPrefix, subject, clientAddress, requestId, details } = row
  const actor = { method, keyId, keyPrefix, subject }
  return { id, kind, subjectId, at: row.at.toISOString(), actor, clientAddress, requestId, details }
}
