import { prepared, preparedFor } from '@tideport/service-kit/postgres/prepared'
import { type Kysely, sql } from 'kysely'
import { v4 as uuidv4, v7 as uuidv7 } from 'uuid'
import { givenRows, holding, unawaited } from '../state/queries.ts'
import { type FileRow, type FilesDb, type Labels, type OnConflict, orNull, type UploadForm } from '../state/tables.ts'
import type { Held, ManyRows, Writes } from '../state/writes.ts'

export const FIRST_LOOK_SECONDS = 60

export interface NewUpload {
  /** UUIDv7. */
  id: string
  /** A client chose the ID, so the time in the ID is unreliable. */
  isIdGiven?: boolean | undefined
  accountId: string
  vaultId: string
  /** Ends in a slash, or is empty. */
  folder?: string | undefined
  name: string
  /** Where no path can be the key (`placeOfKey`). */
  rawKey?: string | null | undefined
  /** Applied when the upload is confirmed; `keep` by default. */
  onConflict?: OnConflict | undefined
  /** The file that must have the path when the upload is confirmed, or `NOBODY`. Not with `keep`. */
  ifOccupant?: string | null | undefined
  labels?: Labels | undefined
  /** ISO 8601; null: never; unset: the default of the vault. */
  expiresAt?: string | null | undefined
  /** Hidden from public reads until its owner publishes it. */
  awaitingReview?: boolean | undefined
  mimeType: string
  sizeBytes: number
  /** Null for a public vault. */
  encryption: {
    wrappedKey: string
    encryptionIv: string
    plaintextSizeBytes: number
    plaintextChecksumSha256: string
  } | null
  /** Created by an export, whose vault is private but not encrypted. */
  isOfExport?: boolean | undefined
  /** Stored as the client sent it, also in a private vault: clients of the S3 door encrypt in their own ways. */
  isOpaque?: boolean | undefined
  /** Declared by the client. */
  checksumDeclared?: string | null | undefined
  /** The requesting key, if it may not read files. */
  uploaderKeyId?: string | null | undefined
  /** Null: one PUT. */
  partSizeBytes?: number | null | undefined
  /** `parts` by default. */
  form?: UploadForm | undefined
  /** Response headers that the client stores, by lower-case name. */
  headers?: Record<string, string> | null | undefined
  /** Of the form `open`: which digest the client wants, and of what, such as `crc32c composite`. */
  uploadDigest?: string | null | undefined
  /** Confirmed without the client once its bytes exist. */
  autoConfirm?: boolean | undefined
  /** If known beforehand; lower-case hex. */
  sha256?: string | undefined
  /** Of the S3 door; null: unknown, or derived from the ID. */
  entityTag?: string | null | undefined
  /** Other digests of the bytes, by their S3 names. */
  digests?: Record<string, string> | null | undefined
  expirySeconds: number
  /** How long a PUT may run. Stored at creation to save a later write. */
  settledAfterSeconds?: number | undefined
  /** 0: no limit. */
  quotaBytes: number
  openUploadsMax: number
}

export const creation: ManyRows<NewUpload, FileRow> = {
  turn: 'accounts',
  waitsWith: ({ accountId }) => accountId,
  write: createUploads,
}

/** Creates a file in `uploading` and reserves its bytes. Null: no such vault, or a limit is reached. */
export function createUpload(writes: Writes, upload: NewUpload): Promise<FileRow | null> {
  return writes.write(creation, upload)
}

async function createUploads(
  db: Kysely<FilesDb>,
  uploads: readonly [NewUpload, ...NewUpload[]],
  held: Held,
): Promise<(FileRow | null)[]> {
  const rows = await creating(held).execute(db, uploads)
  const created = new Map(rows.map((row) => [row.id, row]))
  return uploads.map(({ id }) => created.get(id) ?? null)
}

/** Before its client gets a URL, another write records the ID that the store gives the upload. */
const isRecordedAgain = ({ form = 'parts' }: NewUpload) => form === 'parts'

/**
 * One statement that locks accounts (quota, open uploads), vaults, and files before it decides. Lives and limits are
 * those of the first upload. Creates none for an account if one condition fails for all of its uploads together, or
 * with `unlessHeld` if a row is locked.
 */
const creating = preparedFor(({ unlessHeld }: Held) =>
  prepared<readonly [NewUpload, ...NewUpload[]], FileRow>((given) => {
    const quotaBytes = given(([first]) => first.quotaBytes)
    return sql<FileRow>`
    with asked as materialized (
      select *, case when wrapped_key is null then 'public' else 'private' end as visibility from (${givenRows<NewUpload>(
        given,
        {
          id: ['uuid', ({ id }) => id],
          place_id: ['uuid', ({ isIdGiven = false }) => (isIdGiven ? uuidv7() : null)],
          account_id: ['uuid', ({ accountId }) => accountId],
          vault_id: ['uuid', ({ vaultId }) => vaultId],
          folder: ['text', ({ folder = '' }) => folder],
          name: ['text', ({ name }) => name],
          raw_key: ['text', ({ rawKey = null }) => rawKey],
          if_occupant: ['uuid', ({ ifOccupant = null }) => ifOccupant],
          metadata: ['jsonb', ({ labels }) => orNull(labels?.metadata)],
          tags: ['jsonb', ({ labels }) => orNull(labels?.tags)],
          sealed_metadata: ['text', ({ labels }) => labels?.sealedMetadata ?? null],
          expires_at: ['timestamptz', ({ expiresAt = null }) => expiresAt],
          expires_by_vault: ['boolean', ({ expiresAt }) => expiresAt === undefined],
          awaiting_review: ['boolean', ({ awaitingReview = false }) => awaitingReview],
          on_conflict: ['text', ({ onConflict = 'keep' }) => onConflict],
          mime_type: ['text', ({ mimeType }) => mimeType],
          size_bytes: ['bigint', ({ sizeBytes }) => sizeBytes],
          wrapped_key: ['text', ({ encryption }) => encryption?.wrappedKey ?? null],
          encryption_iv: ['text', ({ encryption }) => encryption?.encryptionIv ?? null],
          plaintext_size_bytes: ['bigint', ({ encryption }) => encryption?.plaintextSizeBytes ?? null],
          plaintext_checksum_sha256: ['text', ({ encryption }) => encryption?.plaintextChecksumSha256 ?? null],
          checksum_declared: ['text', ({ checksumDeclared = null }) => checksumDeclared],
          part_size_bytes: ['bigint', ({ partSizeBytes = null }) => partSizeBytes],
          uploader_key_id: ['uuid', ({ uploaderKeyId = null }) => uploaderKeyId],
          upload_form: ['text', ({ form = 'parts' }) => form],
          headers: ['jsonb', ({ headers = null }) => headers && JSON.stringify(headers)],
          upload_digest: ['text', ({ uploadDigest = null }) => uploadDigest],
          is_of_export: ['boolean', ({ isOfExport = false }) => isOfExport],
          is_opaque: ['boolean', ({ isOpaque = false }) => isOpaque],
          auto_confirm: ['boolean', ({ autoConfirm = false }) => autoConfirm],
          sha256: ['text', ({ sha256 = null }) => sha256],
          entity_tag: ['text', ({ entityTag = null }) => entityTag],
          digests: ['jsonb', ({ digests }) => orNull(digests)],
          key: ['text', ({ id }) => `hot/${id}/${uuidv4()}`],
        },
      )}) as asked
    ), total as (
      select account_id, count(*) as files, sum(size_bytes) as bytes from asked group by account_id
    ), free as materialized (
      select id from account join total on total.account_id = id
      where open_uploads + files <= ${given(([first]) => first.openUploadsMax)}
        and (${quotaBytes}::bigint = 0 or storage_bytes + bytes <= ${quotaBytes}::bigint)
      ${holding({ unlessHeld, of: 'account' })}
    ), home as materialized (
      select id, account_id, visibility, is_export, files_expire_after_seconds from vault
      where id in (select vault_id from asked) and account_id in (select id from free) and deleted_at is null
      order by id ${holding({ unlessHeld })}
    ), whole as materialized (
      select asked.account_id as id, count(*) as files, sum(size_bytes) as bytes
      from asked left join home on home.id = asked.vault_id and home.account_id = asked.account_id
        and home.is_export = is_of_export and (is_export or is_opaque or home.visibility = asked.visibility)
      group by asked.account_id
      having count(home.id) = count(*)
    ), owner as (
      update account set open_uploads = open_uploads + whole.files, file_count = file_count + whole.files,
        storage_bytes = storage_bytes + whole.bytes
      from whole where account.id = whole.id
    ), counted as (
      update vault set file_count = file_count + coming.files, storage_bytes = storage_bytes + coming.bytes
      from (
        select vault_id, count(*) as files, sum(size_bytes) as bytes from asked join whole on whole.id = account_id
        group by vault_id
      ) as coming
      where vault.id = coming.vault_id
    )
    insert into file (id, place_id, account_id, vault_id, folder, name, raw_key, if_occupant, on_conflict, mime_type, size_bytes, wrapped_key, encryption_iv,
      plaintext_size_bytes, plaintext_checksum_sha256, checksum_declared, part_size_bytes, uploader_key_id, upload_form, headers, upload_digest, sha256, entity_tag, digests,
      metadata, tags, sealed_metadata, awaiting_review, expires_at, hot_key, upload_key, upload_expires_at, confirm_due_at, cleanup_after)
    select asked.id, place_id, asked.account_id, vault_id, folder, name, raw_key, if_occupant, on_conflict, mime_type, size_bytes, wrapped_key, encryption_iv,
      plaintext_size_bytes, plaintext_checksum_sha256, checksum_declared, part_size_bytes, uploader_key_id, upload_form, headers, upload_digest, sha256, entity_tag, digests,
      metadata, case when tags is not null then array(select jsonb_array_elements_text(tags)) end, sealed_metadata, awaiting_review,
      case when expires_by_vault then now() + make_interval(secs => files_expire_after_seconds) else expires_at end, key, key,
      now() + make_interval(secs => ${given(([first]) => first.expirySeconds)}),
      case when auto_confirm then now() + make_interval(secs => ${FIRST_LOOK_SECONDS}) end,
      now() + make_interval(secs => ${given(([first]) => first.settledAfterSeconds ?? null)})
    from whole join asked on asked.account_id = whole.id join home on home.id = vault_id
      cross join ${unawaited(sql`${given((uploads) => uploads.every(isRecordedAgain))}::boolean`)}
    returning *`
  }),
)
