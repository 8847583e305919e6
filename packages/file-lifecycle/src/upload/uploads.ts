import { isNullViolation } from '@tideport/service-kit/postgres/database-errors'
import { type Kysely, sql } from 'kysely'
import { v4 as uuidv4 } from 'uuid'
import type { FileRow, FilesDb } from '../state/tables.ts'

export interface NewUpload {
  /** UUIDv7. */
  id: string
  accountId: string
  vaultId: string
  name: string
  mimeType: string
  sizeBytes: number
  encryption: {
    wrappedKey: string
    encryptionIv: string
    plaintextSizeBytes: number
    plaintextChecksumSha256: string
  } | null
  checksumDeclared: string | null
  /** Null: all bytes in one PUT. */
  partSizeBytes: number | null
  expirySeconds: number
  /** Bytes the account may store; 0 = no limit. */
  quotaBytes: number
  openUploadsMax: number
}

/**
 * Creates a file in `uploading` and reserves its bytes, all in one statement: account (quota, open uploads) → vault →
 * file. The object's key is in the row before anything exists under it. Null: one of the conditions does not hold.
 */
export async function createUpload(db: Kysely<FilesDb>, upload: NewUpload): Promise<FileRow | null> {
  const { id } = upload
  const key = `hot/${id}/${uuidv4()}`
  const { accountId, vaultId, sizeBytes, encryption } = upload
  const statement = sql<FileRow>`
    with owner as (
      update account
      set open_uploads = open_uploads + 1, file_count = file_count + 1, storage_bytes = storage_bytes + ${sizeBytes}::bigint
      where id = ${accountId} and open_uploads < ${upload.openUploadsMax}
        and (${upload.quotaBytes}::bigint = 0 or storage_bytes + ${sizeBytes}::bigint <= ${upload.quotaBytes}::bigint)
        and exists (select from vault where id = ${vaultId} and account_id = ${accountId} and deleted_at is null)
      returning id
    ), home as (
      update vault set file_count = file_count + 1, storage_bytes = storage_bytes + ${sizeBytes}::bigint
      where id = ${vaultId} and account_id = (select id from owner) and deleted_at is null
      returning id
    )
    insert into file (id, account_id, vault_id, name, mime_type, size_bytes, wrapped_key, encryption_iv,
      plaintext_size_bytes, plaintext_checksum_sha256, checksum_declared, part_size_bytes, hot_key, upload_key,
      upload_expires_at)
    select ${id}::uuid, ${accountId}::uuid, (select id from home), ${upload.name}::text, ${upload.mimeType}::text,
      ${sizeBytes}::bigint, ${encryption?.wrappedKey ?? null}::text, ${encryption?.encryptionIv ?? null}::text,
      ${encryption?.plaintextSizeBytes ?? null}::bigint, ${encryption?.plaintextChecksumSha256 ?? null}::text,
      ${upload.checksumDeclared}::text, ${upload.partSizeBytes}::bigint, ${key}::text, ${key}::text,
      now() + make_interval(secs => ${upload.expirySeconds})
    from owner
    returning *`
  try {
    return (await statement.execute(db)).rows[0] ?? null
  } catch (error) {
    // The vault was thrown away after the account was counted: failing takes that back.
    if (isNullViolation(error, 'vault_id')) return null
    throw error
  }
}

/** The store's name for the upload, once it exists there; `cleanup_after` counts from the issued URL's expiry. */
export async function recordUploadId(
  db: Kysely<FilesDb>,
  file: FileRow,
  { uploadId, urlSeconds, settleSeconds }: { uploadId: string; urlSeconds: number; settleSeconds: number },
): Promise<FileRow | null> {
  const result = await sql<FileRow>`
    update file set upload_id = ${uploadId}, version = version + 1, updated_at = now(),
      cleanup_after = greatest(cleanup_after, now() + make_interval(secs => ${urlSeconds + settleSeconds}))
    where id = ${file.id} and version = ${file.version} and status = 'uploading' and purging_at is null
    returning *`.execute(db)
  return result.rows[0] ?? null
}

/** A further URL is issued for an open upload, signed as of `updatedAt`; `cleanup_after` counts from its expiry. */
export async function recordUrl(
  db: Kysely<FilesDb>,
  fileId: string,
  { urlSeconds, settleSeconds }: { urlSeconds: number; settleSeconds: number },
): Promise<FileRow | null> {
  const result = await sql<FileRow>`
    update file set version = version + 1, updated_at = now(),
      cleanup_after = greatest(cleanup_after, now() + make_interval(secs => ${urlSeconds + settleSeconds}))
    where id = ${fileId} and status = 'uploading' and upload_id is not null and completing_at is null
      and purging_at is null
    returning *`.execute(db)
  return result.rows[0] ?? null
}

/**
 * From here the store may complete the upload at any time, so nothing else may end it. Repeated by every confirm, which
 * pushes `cleanup_after` each time. `isOverdue`: the first completion was begun longer ago than a store may take.
 */
export async function beginCompleting(
  db: Kysely<FilesDb>,
  file: FileRow,
  { settleSeconds, lostSeconds }: { settleSeconds: number; lostSeconds: number },
): Promise<{ file: FileRow; isOverdue: boolean } | null> {
  const result = await sql<FileRow & { isOverdue: boolean }>`
    update file set completing_at = coalesce(completing_at, now()), version = version + 1, updated_at = now(),
      cleanup_after = greatest(cleanup_after, now() + make_interval(secs => ${settleSeconds}))
    where id = ${file.id} and status = 'uploading' and purging_at is null
      and not exists (select from vault where vault.id = file.vault_id and vault.deleted_at is not null)
    returning *, completing_at <= now() - make_interval(secs => ${lostSeconds}) as is_overdue`.execute(db)
  const row = result.rows[0]
  if (!row) return null
  const { isOverdue, ...completing } = row
  return { file: completing, isOverdue }
}

/**
 * The client is still writing: the upload is open again. Guarded by the very completion that found out, to the
 * millisecond that a date of ours carries; Postgres has microseconds.
 */
export async function reopenUpload(db: Kysely<FilesDb>, file: FileRow): Promise<void> {
  await sql`
    update file set completing_at = null, version = version + 1, updated_at = now()
    where id = ${file.id} and status = 'uploading'
      and date_trunc('milliseconds', completing_at) = ${file.completingAt}`.execute(db)
}
