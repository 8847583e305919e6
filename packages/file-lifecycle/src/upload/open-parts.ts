import { setTimeout as delay } from 'node:timers/promises'
import type { UploadedPart } from '@tideport/hot-tier/write-object'
import { type Kysely, sql, type Transaction } from 'kysely'
import { isLive, unawaited } from '../state/queries.ts'
import type { FileRow, FilesDb, UploadPartRow } from '../state/tables.ts'

/** Parts that an upload may have. */
export const OPEN_PARTS_MAX = 10_000
/** A sender slower than this is cut off, after an hour at the earliest. */
const SLOWEST_BYTES_PER_SECOND = 65_536

/** How long the bytes of a part may take. Then the part is cut off, so that the upload can settle. */
export function longestPartSeconds(sizeBytes: number): number {
  return 3600 + Math.ceil(sizeBytes / SLOWEST_BYTES_PER_SECOND)
}

/** One attempt to send a part. */
export interface PartAttempt {
  fileId: string
  partNumber: number
  /** UUID. */
  attempt: string
}

interface Reservation extends PartAttempt {
  sizeBytes: number
  /** 0: no limit. */
  quotaBytes: number
  maxFileBytes: number
  settleSeconds: number
}

/** `closed`: the upload is being completed, or does not exist any more. */
export type ReservationOutcome = 'reserved' | 'closed' | 'quota_exceeded' | 'too_large'

/**
 * Counts the bytes of a part before they arrive. The finished attempt that the part will replace leaves its bytes to it,
 * as far as limits are concerned.
 */
export async function reservePart(db: Kysely<FilesDb>, wanted: Reservation): Promise<ReservationOutcome> {
  const { fileId, partNumber, attempt, sizeBytes, quotaBytes, maxFileBytes, settleSeconds } = wanted
  return await db.transaction().execute(async (trx) => {
    const upload = await lockReceiving(trx, fileId)
    if (upload === null) return 'closed'
    const same = sql`file_id = ${fileId} and part_number = ${partNumber} and md5 is not null`
    const { rows } = await sql<{ replacedBytes: number }>`
      select coalesce(max(size_bytes), 0)::bigint as replaced_bytes from upload_part where ${same}`.execute(trx)
    const replacedBytes = rows[0]?.replacedBytes ?? 0
    if (upload.sizeBytes - replacedBytes + sizeBytes > maxFileBytes) return 'too_large'
    const seconds = longestPartSeconds(sizeBytes) + settleSeconds
    const { rows: reserved } = await sql`
      with owner as (
        update account set storage_bytes = storage_bytes + ${sizeBytes}::bigint
        where id = ${upload.accountId}
          and (${quotaBytes}::bigint = 0 or storage_bytes + ${sizeBytes - replacedBytes}::bigint <= ${quotaBytes}::bigint)
        returning id
      ), home as (
        update vault set storage_bytes = storage_bytes + ${sizeBytes}::bigint
        where id = ${upload.vaultId} and exists (select from owner)
      ), grown as (
        update file set size_bytes = size_bytes + ${sizeBytes}::bigint, updated_at = now(),
          cleanup_after = greatest(cleanup_after, now() + make_interval(secs => ${seconds}))
        where id = ${fileId} and exists (select from owner)
      )
      insert into upload_part (file_id, part_number, attempt, size_bytes)
      select ${fileId}::uuid, ${partNumber}::integer, ${attempt}::uuid, ${sizeBytes}::bigint from owner
      returning attempt`.execute(trx)
    return reserved.length > 0 ? 'reserved' : 'quota_exceeded'
  })
}

const isReceiving = sql`status = 'uploading' and upload_form = 'open' and completing_at is null and ${isLive}`

/** Null: the upload accepts no parts. */
async function lockReceiving(trx: Transaction<FilesDb>, fileId: string): Promise<FileRow | null> {
  const { rows } = await sql<FileRow>`
    select * from file where id = ${fileId} and ${isReceiving} for no key update`.execute(trx)
  return rows[0] ?? null
}

const COMMIT_LEASE_SECONDS = 15
const RENEWAL_MS = 4_000
const LOOK_MS = 50

/**
 * The right to end an attempt at the store. Attempts of one part run in parallel, but end at the store one after the
 * other, and each is recorded before the next one ends. Otherwise rows and store could differ in which one was last, and
 * some stores mix up two parts that end together.
 */
export interface PartCommit extends Disposable {
  /** Waits until no other attempt ends. False: the upload accepts no parts any more. */
  begin(signal: AbortSignal): Promise<boolean>
}

/** Renews the right until it is disposed of, however long the store takes. A killed process loses it in seconds. */
export function openCommit(db: Kysely<FilesDb>, part: PartAttempt): PartCommit {
  const { fileId, partNumber, attempt } = part
  let renewal: NodeJS.Timeout | undefined
  async function renew(): Promise<void> {
    const ours = sql`file_id = ${fileId} and part_number = ${partNumber} and attempt = ${attempt}`
    await sql`
      update upload_part set committing_until = ${leaseEnd}
      where ${ours} and md5 is null and committing_until > now()`.execute(db)
  }
  return {
    async begin(signal) {
      for (;;) {
        const [found] = (await committing(part).execute(db)).rows
        if (found === undefined) return false
        if (found.isBegun) break
        await delay(LOOK_MS, undefined, { signal })
      }
      // Without renewals, the part is not recorded, and fails.
      renewal ??= setInterval(() => void renew().catch(() => undefined), RENEWAL_MS)
      return true
    },
    [Symbol.dispose]: () => clearInterval(renewal),
  }
}

const leaseEnd = sql`now() + make_interval(secs => ${COMMIT_LEASE_SECONDS})`

/** Does not wait for the disk: without the row of the attempt, nothing of it counts. */
function committing({ fileId, partNumber, attempt }: PartAttempt) {
  return sql<{ isBegun: boolean }>`
    with upload as materialized (
      select id from file where id = ${fileId} and ${isReceiving} for share
    ), same as materialized (
      select attempt, committing_until from upload_part
      where file_id in (select id from upload) and part_number = ${partNumber} order by attempt for no key update
    ), begun as (
      update upload_part set committing_until = ${leaseEnd}
      from ${unawaited(sql`true`)}
      where file_id = ${fileId} and part_number = ${partNumber} and attempt = ${attempt}
        and not exists (select from same where same.attempt <> ${attempt} and same.committing_until > now())
        and exists (select from same where same.attempt = ${attempt})
      returning upload_part.attempt
    )
    select exists (select from begun) as is_begun from same where attempt = ${attempt}`
}

export interface ReceivedPart extends PartAttempt {
  /** Lower-case hex. */
  md5: string
  /** Base64, by name. */
  digests: Record<string, string> | null
  storeEtag: string
}

/**
 * Records a part that the store has, and releases the bytes of the attempt that it replaces. False: the upload accepts
 * no parts any more, or recording took too long, so another attempt may have ended at the store.
 */
export async function recordPart(db: Kysely<FilesDb>, part: ReceivedPart): Promise<boolean> {
  const { fileId, partNumber, attempt, md5, digests, storeEtag } = part
  return await db.transaction().execute(async (trx) => {
    const upload = await lockReceiving(trx, fileId)
    if (upload === null) return false
    const { rows } = await sql<{ replacedBytes: number }>`
      with recorded as (
        update upload_part set md5 = ${md5}, digests = ${digests && JSON.stringify(digests)}::jsonb,
          store_etag = ${bare(storeEtag)}, committing_until = null, updated_at = now()
        where file_id = ${fileId} and part_number = ${partNumber} and attempt = ${attempt} and committing_until > now()
        returning attempt
      ), replaced as (
        delete from upload_part
        where file_id = ${fileId} and part_number = ${partNumber} and attempt <> ${attempt}
          and exists (select from recorded) and (md5 is not null or updated_at < now() - ${senderLife})
        returning size_bytes
      ), changed as (
        update file set version = version + 1, updated_at = now() where id = ${fileId} and exists (select from recorded)
      )
      select (select coalesce(sum(size_bytes), 0) from replaced)::bigint as replaced_bytes from recorded`.execute(trx)
    const [recorded] = rows
    if (recorded === undefined) return false
    await addBytes(trx, upload, -recorded.replacedBytes)
    return true
  })
}

/** After this the sender of an attempt is gone, and its process has not removed the row. */
const senderLife = sql`make_interval(secs => 7200 + size_bytes / ${SLOWEST_BYTES_PER_SECOND})`

export function isAsStored({ storeEtag, sizeBytes }: StoredPart, stored: UploadedPart): boolean {
  return storeEtag === bare(stored.etag) && sizeBytes === stored.sizeBytes
}

const bare = (etag: string) => etag.replaceAll('"', '')

/** Removes attempts, with the bytes that they reserve. Those of a completion that has begun stay. */
export async function dropAttempts(db: Kysely<FilesDb>, fileId: string, attempts: readonly string[]): Promise<void> {
  if (attempts.length === 0) return
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<FileRow>`select * from file where id = ${fileId} for no key update`.execute(trx)
    const [upload] = rows
    if (upload === undefined) return
    const { rows: dropped } = await sql<UploadPartRow>`
      delete from upload_part
      where file_id = ${fileId} and attempt = any(${attempts}::uuid[])
        and (${upload.completingAt === null}::boolean or md5 is null or is_left_out)
      returning *`.execute(trx)
    const bytes = dropped.filter(({ isLeftOut }) => !isLeftOut).reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
    await addBytes(trx, upload, -bytes)
  })
}

/** Changes the size of an upload whose row is locked, and the counters. Without effect once it is hot or purged. */
export async function addBytes(trx: Transaction<FilesDb>, upload: FileRow, bytes: number): Promise<void> {
  if (bytes === 0 || upload.status !== 'uploading' || upload.purgingAt !== null) return
  await sql`
    with owner as (
      update account set storage_bytes = storage_bytes + ${bytes}::bigint where id = ${upload.accountId} returning id
    ), home as (
      update vault set storage_bytes = storage_bytes + ${bytes}::bigint
      where id = ${upload.vaultId} and exists (select from owner)
    )
    update file set size_bytes = size_bytes + ${bytes}::bigint where id = ${upload.id} and exists (select from owner)`.execute(
    trx,
  )
}

/** A part whose bytes the store has. */
export type StoredPart = UploadPartRow & { md5: string; storeEtag: string }

/** All parts that the store has. */
export async function finishedParts(db: Kysely<FilesDb>, fileId: string): Promise<StoredPart[]> {
  const { rows } = await sql<StoredPart>`
    select * from upload_part where file_id = ${fileId} and md5 is not null order by part_number`.execute(db)
  return rows
}

/** The parts of a completion that has begun, as the store knows them. */
export async function chosenParts(db: Kysely<FilesDb>, fileId: string): Promise<UploadedPart[]> {
  const parts = (await finishedParts(db, fileId)).filter(({ isLeftOut }) => !isLeftOut)
  return parts.map(({ partNumber, sizeBytes, storeEtag }) => ({ partNumber, sizeBytes, etag: `"${storeEtag}"` }))
}

/** Up to `limit` parts with a higher number than `after`. */
export async function listParts(
  db: Kysely<FilesDb>,
  fileId: string,
  { after, limit }: { after: number; limit: number },
): Promise<{ parts: StoredPart[]; isTruncated: boolean }> {
  const { rows } = await sql<StoredPart>`
    select * from upload_part where file_id = ${fileId} and part_number > ${after} and md5 is not null
    order by part_number limit ${limit + 1}`.execute(db)
  return { parts: rows.slice(0, limit), isTruncated: rows.length > limit }
}

/** Whether the store may just get the last bytes of a part. The row of the upload is locked, so none begins. */
export async function isCommitting(trx: Transaction<FilesDb>, fileId: string): Promise<boolean> {
  const { rows } = await sql`
    select from upload_part where file_id = ${fileId} and committing_until > now() limit 1`.execute(trx)
  return rows.length > 0
}

/** Leaves out all attempts but these (null: none). Returns the bytes that the upload gains. */
export async function leaveOut(trx: Transaction<FilesDb>, fileId: string, chosen: string[] | null): Promise<number> {
  const isOut =
    chosen === null
      ? sql`false`
      : sql`not exists (
    select from unnest(${chosen}::uuid[]) as chosen (id) where chosen.id = upload_part.attempt)`
  const { rows } = await sql<{ bytes: number }>`
    with changed as (
      update upload_part set is_left_out = not is_left_out
      where file_id = ${fileId} and is_left_out <> (${isOut})
      returning size_bytes, is_left_out
    )
    select coalesce(sum(case when is_left_out then -size_bytes else size_bytes end), 0)::bigint as bytes from changed`.execute(
    trx,
  )
  return rows[0]?.bytes ?? 0
}

/**
 * Opens an upload again whose completion the store refused, because a part was replaced. Guarded by that completion, in
 * milliseconds as in JavaScript dates.
 */
export async function reopenParts(db: Kysely<FilesDb>, { id, completingAt }: FileRow): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { rows } = await sql<FileRow>`
      select * from file where id = ${id} and status = 'uploading' and purging_at is null
        and date_trunc('milliseconds', completing_at) = ${completingAt} for no key update`.execute(trx)
    const [upload] = rows
    if (upload === undefined) return
    await addBytes(trx, upload, await leaveOut(trx, id, null))
    await sql`
      update file set completing_at = null, entity_tag = null, digests = null, part_sizes = null,
        version = version + 1, updated_at = now()
      where id = ${id}`.execute(trx)
  })
}
