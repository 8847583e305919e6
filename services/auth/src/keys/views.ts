import type { apiKey } from '@tideport/contracts/public/api-keys'
import type { z } from 'zod'
import type { ApiKeyRow } from '../tables.ts'

export function toApiKey(row: ApiKeyRow): z.input<typeof apiKey> {
  return {
    id: row.id,
    name: row.name,
    keyPrefix: row.keyPrefix,
    parentId: row.parentId,
    scopes: row.scopes,
    limits: row.limits,
    isSession: row.isSession,
    createdAt: row.createdAt.toISOString(),
    expiresAt: row.expiresAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    revoked_at: row.revokedAt?.toISOString() ?? null,
  }
}
