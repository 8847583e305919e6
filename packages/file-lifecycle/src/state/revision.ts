import { createHash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'
import { type FileRow, orNull } from './tables.ts'

/** Identifies what clients can change of a file. Changes of its copies and of its tier leave it alone. */
export function revisionOf(file: FileRow): string {
  const { id, vaultId, folder, name, rawKey, wrappedKey, metadata, tags, sealedMetadata, expiresAt, awaitingReview } =
    file
  const labels = [orNull(metadata), tags ?? [], sealedMetadata]
  const state = [id, vaultId, folder, name, rawKey, wrappedKey, labels, expiresAt, awaitingReview]
  return createHash('sha256').update(JSON.stringify(state)).digest('base64url').slice(0, 22)
}

/** Condition on `file`: it has the revision of the row that was read. */
export function hasRevisionOf(file: FileRow): RawBuilder<boolean> {
  const { vaultId, folder, name, rawKey, wrappedKey, metadata, tags, sealedMetadata, expiresAt, awaitingReview } = file
  return sql<boolean>`file.vault_id = ${vaultId} and file.folder = ${folder} and file.name = ${name}
    and file.raw_key is not distinct from ${rawKey} and file.wrapped_key is not distinct from ${wrappedKey}
    and file.metadata is not distinct from ${orNull(metadata)}::jsonb and file.tags is not distinct from ${tags}::text[]
    and file.sealed_metadata is not distinct from ${sealedMetadata}
    and date_trunc('milliseconds', file.expires_at) is not distinct from ${expiresAt}::timestamptz
    and file.awaiting_review = ${awaitingReview}`
}
