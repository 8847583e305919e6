import type { AuditEvent } from '@tideport/contracts/public/audit-event'
import type { ApiKeyRow } from '../tables.ts'

export function keyDetails({ name, keyPrefix, scopes, limits, expiresAt }: ApiKeyRow): AuditEvent['details'] {
  return { name, keyPrefix, scopes, expiresAt: expiresAt?.toISOString() ?? null, ...limits }
}
