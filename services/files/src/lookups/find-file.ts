import {
  asSeenCopies,
  copiesOfFile,
  type FileWithJson,
  type SeenCopies,
} from '@tideport/file-lifecycle/state/file-copies'
import { givenRows, isLive } from '@tideport/file-lifecycle/state/queries'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { standingFor } from '@tideport/file-lifecycle/state/take-path'
import type { Batching } from '@tideport/service-kit/batching/batching'
import { prepared } from '@tideport/service-kit/postgres/prepared'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, type RawBuilder, sql } from 'kysely'

/** A confirmed file that nobody threw away and whose bytes exist: a failed one counts while some copy is recorded. */
const isReadable = sql<boolean>`file.purging_at is null and file.deleted_at is null
  and (file.status in ('hot', 'synced', 'cold')
    or file.status = 'error' and (file.hot_key is not null or file.synced_at is not null))`

/** Everyone but the owner finds a received file only after the owner has published it. */
const isPublished = sql<boolean>`not file.awaiting_review`

/** The condition of every public list, public read, and folder link. */
export const isShown = sql<boolean>`${isReadable} and ${isPublished}`

/** A shown file in a public vault. Private, unconfirmed, unpublished, trashed, and missing files are all the same null. */
export function findPublicFile(db: Kysely<FilesDb>, fileId: string): Promise<SeenCopies | null> {
  return selectPublic(db, { from: sql`file`, where: sql`file.id = ${fileId}`, by: sql`file.id` })
}

/**
 * The synced file in a public vault that has or had this blob id on a network: of several the earliest synced one, so
 * that nobody takes over a name and type by storing the same bytes later. Read in that order, up to the first.
 */
export function findPublicBlob(db: Kysely<FilesDb>, blobId: string): Promise<SeenCopies | null> {
  return selectPublic(db, {
    from: sql`copy join file on file.id = copy.file_id`,
    where: sql`copy.blob_id = ${blobId} and copy.file_synced_at is not null and file.synced_at is not null`,
    by: sql`copy.file_synced_at, copy.file_id`,
  })
}

type Which = Record<'from' | 'where' | 'by', RawBuilder<unknown>>

/**
 * Joins the vault's visibility to whatever is asked for, so no condition that is forgotten later can open a private
 * file.
 */
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

/** The confirmed file that was put last at a path of the account's vault. Null: there is none, or no such vault. */
export function findOwnPath(
  db: Kysely<FilesDb>,
  { accountId, vaultId, path }: { accountId: string; vaultId: string; path: string },
): Promise<SeenCopies | null> {
  return selectAt(db, path, { where: sql`vault.id = ${vaultId} and vault.account_id = ${accountId}` })
}

/** The same of a public vault, if the file that stands for the path can be read by anyone. */
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

/** What everyone but the owner finds at a path: a file that awaits review is not found, and hides no published file there. */
function selectShownAt(db: Kysely<FilesDb>, path: string, where: RawBuilder<unknown>): Promise<SeenCopies | null> {
  return selectAt(db, path, { where: sql`${where} and ${isReadable}`, among: isPublished })
}

/** The file that stands for a path, of those `among` which it is looked for, in the vault that a condition names. */
async function selectAt(
  db: Kysely<FilesDb>,
  path: string,
  { where, among }: { where: RawBuilder<unknown>; among?: RawBuilder<unknown> },
): Promise<SeenCopies | null> {
  // No text of Postgres has it, so no path does.
  if (path.includes('\0')) return null
  const { rows } = await sql<FileWithJson<{ seenAt: Date }>>`
    select file.*, now() as seen_at, ${copiesOfFile} as copies
    from vault cross join lateral (${standingFor(sql`vault.id`, sql`${path}`, among)}) as file
    where vault.deleted_at is null and ${where}`.execute(db)
  const [row] = rows
  return row ? asSeenCopies(row) : null
}

/**
 * A readable file, whatever the vault: for callers who have shown a link to it. It may await review: its owner created a link to
 * this very file.
 */
export async function findLinkedFile(db: Kysely<FilesDb>, fileId: string): Promise<SeenCopies | null> {
  const columns = sql`file.*, now() as seen_at, ${copiesOfFile} as copies`
  const { rows } = await linkedFile(sql`${fileId}`, columns).execute(db)
  const [row] = rows
  return row ? asSeenCopies(row) : null
}

/** The statement, or part of one, that finds it. */
export function linkedFile(
  fileId: RawBuilder<unknown>,
  columns: RawBuilder<unknown>,
): RawBuilder<FileWithJson<{ seenAt: Date }>> {
  return sql`select ${columns} from file join vault on vault.id = file.vault_id
    where file.id = ${fileId} and vault.deleted_at is null and ${isReadable}`
}

/** The same of the file that stands for a path of a vault. */
export function findLinkedPath(
  db: Kysely<FilesDb>,
  { vaultId, path }: { vaultId: string; path: string },
): Promise<SeenCopies | null> {
  return selectShownAt(db, path, sql`vault.id = ${vaultId}`)
}

/** The one key of finds, for they hold up nobody. */
const ALL = ''

/** A file with the database's `now()` of the very moment its row was read: URLs for it are signed as of then. */
export type FileSeen = FileRow & { seenAt: Date }

/** A file of this account that nobody threw away. Null for somebody else's too. */
export async function findOwnFile(db: Kysely<FilesDb>, accountId: string, fileId: string): Promise<FileSeen | null> {
  return (await selectLive(db, fileId).where('accountId', '=', accountId).executeTakeFirst()) ?? null
}

/** The same. Throws 404 where there is none. */
export async function getOwnFile(db: Kysely<FilesDb>, accountId: string, fileId: string): Promise<FileSeen> {
  const file = await findOwnFile(db, accountId, fileId)
  if (file === null) throw notFound()
  return file
}

/** A file that nobody threw away, whoever owns it; for callers who have proved that they may read it. */
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

/** Finds files of their owners that nobody threw away; what is asked for at once in this process is one statement. */
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

/** A file in the trash, by itself or with its vault: since when, and until when it can be restored. */
export type TrashedRow = FileRow & { trashedAt: Date; restorableUntil: Date }

/** A file that its owner could still restore or read: in the trash, with its vault in the trash, or not at all. */
export interface KeptFile {
  file: FileRow
  isVaultTrashed: boolean
}

/** Null when it never was, is somebody else's, or is being removed for good. */
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
