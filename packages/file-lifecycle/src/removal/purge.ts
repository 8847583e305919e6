import { type Kysely, type RawBuilder, sql } from 'kysely'
import { appendEvents, eventPayload } from '../state/append-event.ts'
import { blobIdIn, type NetworkNames } from '../state/file-copies.ts'
import type { FileRow, FilesDb } from '../state/tables.ts'
import type { OwnFile } from './trash.ts'

export interface Settle {
  settleSeconds: number
  networks: Pick<NetworkNames, 'order'>
  /** The caller's own claim, which may still be running. */
  ownClaim?: FileRow['fencingToken']
}

/**
 * Begins the purge of files of one account (docs/explain/life-of-a-file.md §7): hides them from readers, subtracts them
 * from the counters, and revokes claims. Writes an event for each confirmed file. `cleanup_after` is after the last
 * request that a worker may still send.
 */
export async function beginPurge(
  db: Kysely<FilesDb>,
  which: RawBuilder<unknown>,
  { settleSeconds, networks, ownClaim }: Settle,
): Promise<FileRow[]> {
  const payload = eventPayload('file.purged', { blobId: blobIdIn(networks) })
  const othersUntil =
    ownClaim === undefined ? sql`claimed_until` : sql`case when fencing_token <> ${ownClaim} then claimed_until end`
  const { rows } = await sql<FileRow>`
    with chosen as (
      select id from file where ${which} and purging_at is null order by id for update
    ), changed as (
      update file set purging_at = now(), purge_due_at = now(), version = version + 1, updated_at = now(),
        cleanup_after = greatest(cleanup_after, now() + make_interval(secs => ${settleSeconds}), ${othersUntil},
          (select max(copy.claimed_until) from copy where copy.file_id = file.id)),
        fencing_token = fencing_token + 1, claimed_until = null, task_failures = 0
      from chosen where file.id = chosen.id
      returning file.*
    ), let_go as (
      update copy set fencing_token = copy.fencing_token + 1, claimed_until = null, due_at = null, renew_due_at = null,
        billed_bytes = null
      from changed where copy.file_id = changed.id
    ), freed as (
      select account_id, count(*) as files, sum(size_bytes) as bytes,
        count(*) filter (where status = 'uploading') as open_uploads,
        coalesce(sum(size_bytes) filter (where hot_key is not null and confirmed_at is not null), 0) as hot_bytes
      from changed group by account_id
    ), usage as (
      update account set file_count = account.file_count - freed.files,
        storage_bytes = account.storage_bytes - freed.bytes, hot_bytes = account.hot_bytes - freed.hot_bytes,
        open_uploads = account.open_uploads - freed.open_uploads
      from freed where account.id = freed.account_id
      returning account.id
    ), leaving as (
      select vault_id, count(*) as files, sum(size_bytes) as bytes from changed
      where deleted_at is null and account_id in (select id from usage)
      group by vault_id
    ), home as (
      update vault set file_count = vault.file_count - leaving.files,
        storage_bytes = vault.storage_bytes - leaving.bytes
      from leaving where vault.id = leaving.vault_id
    ), told as (
      ${appendEvents({ kind: 'file', type: 'file.purged', payload, from: sql`changed where status <> 'uploading'` })}
    )
    select * from changed`.execute(db)
  return rows
}

/** Deletes a confirmed file permanently. Null: missing or not confirmed. */
export async function purgeConfirmed(
  db: Kysely<FilesDb>,
  file: OwnFile,
  settle: Settle,
  where: RawBuilder<unknown> = sql`true`,
): Promise<FileRow | null> {
  const which = sql`id = ${file.fileId} and account_id = ${file.accountId} and status <> 'uploading' and ${where}`
  return (await beginPurge(db, which, settle))[0] ?? null
}

/** Aborts an upload that no confirm works on. Null: no such upload. */
export async function abortUpload(
  db: Kysely<FilesDb>,
  file: OwnFile,
  settle: Settle,
  where: RawBuilder<unknown> = sql`true`,
): Promise<FileRow | null> {
  const which = sql`id = ${file.fileId} and account_id = ${file.accountId}
    and status = 'uploading' and completing_at is null and ${where}`
  return (await beginPurge(db, which, settle))[0] ?? null
}

/** Aborts a lost upload, unless its row has changed. */
export async function abortLostUpload(db: Kysely<FilesDb>, upload: FileRow, settle: Settle): Promise<FileRow | null> {
  const which = sql`id = ${upload.id} and version = ${upload.version} and status = 'uploading'`
  return (await beginPurge(db, which, settle))[0] ?? null
}

export async function purgeExpired(db: Kysely<FilesDb>, fileId: string, settle: Settle): Promise<FileRow | null> {
  const which = sql`id = ${fileId} and status = 'uploading' and completing_at is null and upload_expires_at <= now()`
  return (await beginPurge(db, which, settle))[0] ?? null
}

/** Purges an expired upload whose completion began longer ago than a store may take. The caller has found no object. */
export async function purgeUnfinished(
  db: Kysely<FilesDb>,
  fileId: string,
  { lostSeconds, ...settle }: Settle & { lostSeconds: number },
): Promise<FileRow | null> {
  const which = sql`id = ${fileId} and status = 'uploading' and upload_expires_at <= now()
    and completing_at <= now() - make_interval(secs => ${lostSeconds})`
  return (await beginPurge(db, which, settle))[0] ?? null
}

export async function purgeOutdated(db: Kysely<FilesDb>, fileId: string, settle: Settle): Promise<FileRow | null> {
  const which = sql`id = ${fileId} and deleted_at is not null and purge_due_at <= now()`
  return (await beginPurge(db, which, settle))[0] ?? null
}

const BATCH = 500

export interface Place {
  createdAt: string
  id: string
}

export interface PurgedBatch {
  purged: number
  /** Null: this was the last batch. */
  end: Place | null
}

/** A batch of the files that an account has in the trash. */
export function purgeTrash(
  db: Kysely<FilesDb>,
  accountId: string,
  settle: Settle,
  after: Place | null,
): Promise<PurgedBatch> {
  return purgeBatch(db, sql`account_id = ${accountId} and deleted_at is not null`, settle, after)
}

/** A batch of the files of a vault. */
export function purgeFilesOfVault(
  db: Kysely<FilesDb>,
  vaultId: string,
  settle: Settle,
  after: Place | null,
): Promise<PurgedBatch> {
  return purgeBatch(db, sql`vault_id = ${vaultId}`, settle, after)
}

/** Searches along an index, and locks by ID: a search by ID would read all remaining files for each batch. */
async function purgeBatch(
  db: Kysely<FilesDb>,
  which: RawBuilder<unknown>,
  settle: Settle,
  after: Place | null,
): Promise<PurgedBatch> {
  const isNext = after ? sql`(created_at, id) > (${after.createdAt}::timestamptz, ${after.id}::uuid)` : sql`true`
  const { rows: found } = await sql<Place>`
    select created_at::text, id from file where ${which} and purging_at is null and ${isNext}
    order by file.created_at, id limit ${BATCH}`.execute(db)
  const ids = found.map(({ id }) => id)
  const purging = ids.length > 0 ? await beginPurge(db, sql`id = any(${ids}::uuid[]) and ${which}`, settle) : []
  return { purged: purging.length, end: found.length === BATCH ? (found.at(-1) ?? null) : null }
}
