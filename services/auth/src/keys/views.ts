import type { apiKey, createdApiKey } from '@tideport/contracts/public/api-keys'
import type { z } from 'zod'
import type { ApiKeyRow } from '../tables.ts'
import { type S3SecretKeys, s3CredentialsOf } from './s3-credentials.ts'

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
    s3AccessKeyId: row.s3AccessKey,
  }
}

/** A new key with its secrets, which no other response contains. */
export function toCreatedApiKey(
  row: ApiKeyRow,
  key: string,
  s3SecretKeys: S3SecretKeys,
): z.input<typeof createdApiKey> {
  const s3 = row.s3AccessKey === null ? {} : { s3: s3CredentialsOf(row.s3AccessKey, s3SecretKeys) }
  return { ...toApiKey(row), key, ...s3 }
}
