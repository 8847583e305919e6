import { postgresWaitMs } from '@tideport/contracts/internal/postgres-wait'
import { withWaitBudget } from '@tideport/service-kit/context/request-context'
import { WaitBudget } from '@tideport/service-kit/context/wait-budget'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { asSeenCopies, copiesOfFile, type FileWithJson } from '../state/read-file-copies.ts'
import type { CopyRow, FileRow, FilesDb, VaultRow } from '../state/tables.ts'

/** Rows of one statement, between which nothing is held. */
const BATCH = 200

/** A row's place in the order of creation; with microseconds, unlike a date of ours. */
export interface Place {
  at: string
  id: string
}

/** Where to go on, and how far. Fewer rows than `limit`: these were the last. */
export interface After {
  after: Place | null
  limit: number
}

/** A file with its copies, and whether it stands for its path. */
export interface WalkedFile {
  file: FileRow
  copies: readonly CopyRow[]
  isLatest: boolean
  /** Confirmed, and in a vault that is there and not an export's. */
  isTold: boolean
  place: Place
}

/** The account's vaults outside the trash, but for those of exports, in the order of creation. */
export async function readVaults(
  db: Kysely<FilesDb>,
  accountId: string,
  { after, limit }: After,
): Promise<(VaultRow & Place)[]> {
  const { rows } = await sql<VaultRow & Place>`
    select *, ${at} from vault where account_id = ${accountId} and deleted_at is null and not is_export
      and ${isBehind(after)} order by vault.created_at, id limit ${limit}`.execute(db)
  return rows
}

/** The account's files outside the trash, in the order of creation: all, for what is not told is a place as well. */
export async function readFiles(
  db: Kysely<FilesDb>,
  accountId: string,
  { after, limit }: After,
): Promise<WalkedFile[]> {
  const last = sql`(select last.id from file as last where last.vault_id = file.vault_id and last.path = file.path
    and last.status <> 'uploading' and last.deleted_at is null and last.purging_at is null
    order by coalesce(last.place_id, last.id) desc limit 1)`
  const { rows } = await sql<FileWithJson<{ seenAt: Date; isLatest: boolean; isTold: boolean; at: string }>>`
    select *, now() as seen_at, ${copiesOfFile} as copies, id = ${last} as is_latest,
      status <> 'uploading' and exists (
        select from vault where vault.id = file.vault_id and vault.deleted_at is null and not is_export) as is_told
    from (
      select *, ${at} from file where account_id = ${accountId} and deleted_at is null and purging_at is null
        and ${isBehind(after)} order by file.created_at, id limit ${limit}
    ) as file order by file.created_at, id`.execute(db)
  return rows.map(({ at, isLatest, isTold, ...row }) => {
    return { ...asSeenCopies(row), isLatest, isTold, place: { at, id: row.id } }
  })
}

/** All vaults of `readVaults`, however many. */
export async function* walkVaults(db: Kysely<FilesDb>, accountId: string): AsyncGenerator<VaultRow> {
  const read = (after: Place | null) => readVaults(db, accountId, { after, limit: BATCH })
  for await (const { at: _, ...vault } of walk(read, (vault) => vault)) yield vault
}

/**
 * The files of `readFiles` that are told and in these vaults, however many; those that were made since the walk began come
 * last or not at all.
 */
export async function* walkFilesOf(
  db: Kysely<FilesDb>,
  accountId: string,
  vaultIds: ReadonlySet<string>,
): AsyncGenerator<WalkedFile> {
  const read = (after: Place | null) => readFiles(db, accountId, { after, limit: BATCH })
  for await (const walked of walk(read, ({ place }) => place)) {
    if (walked.isTold && vaultIds.has(walked.file.vaultId)) yield walked
  }
}

const at = sql`created_at::text as at`

const isBehind = (after: Place | null): RawBuilder<unknown> =>
  after === null ? sql`true` : sql`(created_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)`

async function* walk<Row>(
  read: (after: Place | null) => Promise<Row[]>,
  placeOf: (row: Row) => Place,
): AsyncGenerator<Row> {
  for (let after: Place | null = null; ; ) {
    // However long the whole takes, a database that is down is told as soon as anywhere.
    const rows: Row[] = await withWaitBudget(new WaitBudget(postgresWaitMs), () => read(after))
    yield* rows
    const end = rows.at(-1)
    if (end === undefined || rows.length < BATCH) return
    after = placeOf(end)
  }
}
