import {
  asSeenCopies,
  copiesOfFile,
  type FileWithJson,
  type SeenCopies,
} from '@tideport/file-lifecycle/state/file-copies'
import { givenRows, isLive } from '@tideport/file-lifecycle/state/queries'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { standingFor, standingForPath } from '@tideport/file-lifecycle/state/take-path'
import type { Batching } from '@tideport/service-kit/batching/batching'
import { prepared } from '@tideport/service-kit/postgres/prepared'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, type RawBuilder, sql } from 'kysely'

/** Confirmed, not trashed, and with bytes: a file in error needs a recorded copy. */
const isReadable = sql<boolean>`file.purging_at is null and file.deleted_at is null
  and (file.status in ('hot', 'synced', 'cold')
    or file.status = 'error' and (file.hot_key is not null or file.synced_at is not null))`

/** A received file is public only after its owner publishes it. */
const isPublished = sql<boolean>`not file.awaiting_review`

/** The condition of public lists, public reads, and folder links. */
export const isShown = sql<boolean>`${isReadable} and ${isPublished}`

/** Null for private, unconfirmed, unpublished, trashed, and missing files. */
export function findPublicFile(db: Kysely<FilesDb>, fileId: string): Promise<SeenCopies | null> {
  return selectPublic(db, { from: sql`file`, where: sql`file.id = ${fileId}`, by: sql`file.id` })
}

/**
 * The earliest synced file with this blob ID in a public vault, so that storing the same bytes later cannot change its
 * name and type.
 */
export function findPublicBlob(db: Kysely<FilesDb>, blobId: string): Promise<SeenCopies | null> {
  return selectPublic(db, {
    from: sql`copy join file on file.id = copy.file_id`,
    where: sql`copy.blob_id = ${blobId} and copy.file_synced_at is not null and file.synced_at is not null`,
    by: sql`copy.file_synced_at, copy.file_id`,
  })
}

type Which = Record<'from' | 'where' | 'by', RawBuilder<unknown>>

/** Every lookup has the condition of the vault's visibility. */
async function selectPublic(db: Kysely<FilesDb>, { from, where, by }: Which): Promise<SeenCopies | null> {
  const { rows } = await sql<FileWithJson<{ seenAt: Date }>>`
    select file.*, now() as seen_at, ${copiesOfFile} as copies
    from ${from} join vault on vault.id = file.vault_id
    where vault.visibility = 'public' and vault.deleted_at is null and ${isShown} and ${where}
    order by ${by}
    limit 1`.execute(db)
  const [row] = rows
  return row ? asSeenCopies(row) : null
}

/** The file that stands for a path of the account's vault. */
export function findOwnPath(
  db: Kysely<FilesDb>,
  { accountId, vaultId, path }: { accountId: string; vaultId: string; path: string },
): Promise<SeenCopies | null> {
  return selectAt(db, path, { where: sql`vault.id = ${vaultId} and vault.account_id = ${accountId}` })
}

/** The same for a public vault. */
export function findPublicPath(
  db: Kysely<FilesDb>,
  { userId, vaultSlug, path }: { userId: string; vaultSlug: string; path: string },
): Promise<SeenCopies | null> {
  return selectShownAt(
    db,
    path,
    sql`vault.account_id = ${userId} and vault.slug = ${vaultSlug} and vault.visibility = 'public'`,
  )
}

/** A file that awaits review is not found, and does not hide a published file at its path. */
function selectShownAt(db: Kysely<FilesDb>, path: string, where: RawBuilder<unknown>): Promise<SeenCopies | null> {
  return selectAt(db, path, { where: sql`${where} and ${isReadable}`, among: isPublished })
}

/** `among`: a condition that a file must meet to represent the path. */
async function selectAt(
  db: Kysely<FilesDb>,
  path: string,
  { where, among }: { where: RawBuilder<unknown>; among?: RawBuilder<unknown> },
): Promise<SeenCopies | null> {
  // Text in Postgres cannot contain a null character.
  if (path.includes('\0')) return null
  const { rows } = await sql<FileWithJson<{ seenAt: Date }>>`
    select file.*, now() as seen_at, ${copiesOfFile} as copies
    from vault cross join lateral (${standingForPath(sql`vault.id`, sql`${path}::text`, among)}) as file
    where vault.deleted_at is null and ${where}`.execute(db)
  const [row] = rows
  return row ? asSeenCopies(row) : null
}

/** The file that represents a key of the S3 door. */
export async function findKey(db: Kysely<FilesDb>, vaultId: string, key: string): Promise<SeenCopies | null> {
  const { rows } = await sql<FileWithJson<{ seenAt: Date }>>`
    select file.*, now() as seen_at, ${copiesOfFile} as copies
    from (${standingFor(sql`${vaultId}::uuid`, sql`${key}::text`)}) as file`.execute(db)
  const [row] = rows
  return row ? asSeenCopies(row) : null
}

/** A readable file for callers with a link to it, which may await review. */
export async function findLinkedFile(db: Kysely<FilesDb>, fileId: string): Promise<SeenCopies | null> {
  const columns = sql`file.*, now() as seen_at, ${copiesOfFile} as copies`
  const { rows } = await linkedFile(sql`${fileId}`, columns).execute(db)
  const [row] = rows
  return row ? asSeenCopies(row) : null
}

/** The statement of `findLinkedFile`, which other statements also contain. */
export function linkedFile(
  fileId: RawBuilder<unknown>,
  columns: RawBuilder<unknown>,
): RawBuilder<FileWithJson<{ seenAt: Date }>> {
  return sql`select ${columns} from file join vault on vault.id = file.vault_id
    where file.id = ${fileId} and vault.deleted_at is null and ${isReadable}`
}

/** The shown file at a path, for callers with a link to a folder of the vault. */
export function findLinkedPath(
  db: Kysely<FilesDb>,
  { vaultId, path }: { vaultId: string; path: string },
): Promise<SeenCopies | null> {
  return selectShownAt(db, path, sql`vault.id = ${vaultId}`)
}

/** All finds share one key, because they lock nothing. */
const ALL = ''

/** A file and the database's `now()` when its row was read. Its URLs are signed with this time. */
export type FileSeen = FileRow & { seenAt: Date }

/** A live file of this account. */
export async function findOwnFile(db: Kysely<FilesDb>, accountId: string, fileId: string): Promise<FileSeen | null> {
  return (await selectLive(db, fileId).where('accountId', '=', accountId).executeTakeFirst()) ?? null
}

/** Throws 404. */
export async function getOwnFile(db: Kysely<FilesDb>, accountId: string, fileId: string): Promise<FileSeen> {
  const file = await findOwnFile(db, accountId, fileId)
  if (file === null) throw notFound()
  return file
}

/** A live file of any account, for callers who have proved their permission. */
export async function findLiveFile(db: Kysely<FilesDb>, fileId: string): Promise<SeenCopies | null> {
  const row = await selectLive(db, fileId).select(copiesOfFile.as('copies')).executeTakeFirst()
  return row ? asSeenCopies(row) : null
}

const finding = prepared<readonly string[], FileSeen>(
  (given) => sql`
    select file.*, now() as seen_at
    from (${givenRows(given, { id: ['uuid', (fileId) => fileId] })}) as asked
      cross join lateral (select * from file where file.id = asked.id limit 1) as file
    where ${isLive}`,
)

/** Combines concurrent finds of this process in one statement. */
export function batchFinds(
  db: Kysely<FilesDb>,
  batching: Batching,
): (accountId: string, fileId: string) => Promise<FileSeen | null> {
  const find = batching.batch<string, FileSeen | null>(
    async (fileIds) => {
      const rows = await finding.execute(db, fileIds)
      const found = new Map(rows.map((file) => [file.id, file]))
      return fileIds.map((id) => found.get(id) ?? null)
    },
    { pauses: true },
  )
  return async (accountId, fileId) => {
    const file = await find(ALL, fileId)
    return file?.accountId === accountId ? file : null
  }
}

function selectLive(db: Kysely<FilesDb>, fileId: string) {
  return db
    .selectFrom('file')
    .selectAll('file')
    .select(sql<Date>`now()`.as('seenAt'))
    .where('id', '=', fileId)
    .where(sql<boolean>`${isLive}`)
}

export type TrashedRow = FileRow & { trashedAt: Date; restorableUntil: Date }

/** A file that its owner can read or restore. */
export interface KeptFile {
  file: FileRow
  isVaultTrashed: boolean
}

/** Null: missing, of another account, or being purged. */
export async function findKeptFile(db: Kysely<FilesDb>, accountId: string, fileId: string): Promise<KeptFile | null> {
  const { rows } = await sql<FileRow & { isVaultTrashed: boolean }>`
    select file.*, vault.deleted_at is not null as is_vault_trashed
    from file join vault on vault.id = file.vault_id
    where file.id = ${fileId} and file.account_id = ${accountId}
      and file.purging_at is null and vault.purging_at is null`.execute(db)
  const row = rows[0]
  if (row === undefined) return null
  const { isVaultTrashed, ...file } = row
  return { file, isVaultTrashed }
}
