import type { AuditEvent } from '@tideport/contracts/public/audit-event'
import type { ApiKeyRow } from '../tables.ts'

/** What the log tells of a key. */
export function keyDetails({ name, keyPrefix, scopes, expiresAt }: ApiKeyRow): AuditEvent['details'] {
  return { name, keyPrefix, scopes, expiresAt: expiresAt?.toISOString() ?? null }
}
