import { postgresWaitMs } from '@tideport/contracts/internal/request-headers'
import { asSeenCopies, copiesOfFile, type FileWithJson } from '@tideport/file-lifecycle/state/file-copies'
import type { CopyRow, FileRow, FilesDb, VaultRow } from '@tideport/file-lifecycle/state/tables'
import { withWaitBudget } from '@tideport/service-kit/context/request-context'
import { WaitBudget } from '@tideport/service-kit/context/wait-budget'
import { isUnavailable } from '@tideport/service-kit/postgres/database-errors'
import { untilAvailable } from '@tideport/service-kit/process/until-available'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import { type Kysely, type RawBuilder, sql } from 'kysely'

/** Rows per statement. No locks are held between statements. */
const BATCH = 200
/** Shorter than the gateway waits for the next byte. */
const OUTAGE_SECONDS = 30

interface Deps {
  db: Kysely<FilesDb>
  log: Log
}

/** By creation: ISO 8601 with microseconds, which JavaScript dates lack. */
export interface Place {
  at: string
  id: string
}

/** Fewer rows than `limit` mean that these are the last ones. */
export interface After {
  after: Place | null
  limit: number
}

export interface WalkedFile {
  file: FileRow
  copies: readonly CopyRow[]
  isLatest: boolean
  /** Confirmed, and in a live vault that is not an export's. */
  isTold: boolean
  place: Place
}

/** The account's vaults outside the trash without exports, by creation. */
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

/**
 * The account's files outside the trash, by creation. Includes files that are not exported, because the cursor counts
 * them.
 */
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

export function walkVaults({ db, log }: Deps, accountId: string): AsyncGenerator<VaultRow & Place> {
  const read = (after: Place | null) => readVaults(db, accountId, { after, limit: BATCH })
  return walk(read, { placeOf: (vault) => vault, from: null, log })
}

/** The exported files after a place in these vaults. Files created during the walk come last or are missing. */
export async function* walkFilesOf(
  { db, log }: Deps,
  accountId: string,
  { vaultIds, from }: { vaultIds: ReadonlySet<string>; from: Place | null },
): AsyncGenerator<WalkedFile> {
  const read = (after: Place | null) => readFiles(db, accountId, { after, limit: BATCH })
  for await (const walked of walk(read, { placeOf: ({ place }) => place, from, log })) {
    if (walked.isTold && vaultIds.has(walked.file.vaultId)) yield walked
  }
}

const at = sql`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`

const isBehind = (after: Place | null): RawBuilder<unknown> =>
  after === null ? sql`true` : sql`(created_at, id) > (${after.at}::timestamptz, ${after.id}::uuid)`

async function* walk<Row>(
  read: (after: Place | null) => Promise<Row[]>,
  { placeOf, from, log }: { placeOf: (row: Row) => Place; from: Place | null; log: Log },
): AsyncGenerator<Row> {
  const readBatch = (after: Place | null) => withWaitBudget(new WaitBudget(postgresWaitMs), () => read(after))
  // A started response can report an outage only by breaking off. The client then requests all lines again.
  const wait = { seconds: OUTAGE_SECONDS, what: 'Postgres', isOutage: isUnavailable, log }
  for (let rows = await readBatch(from); ; ) {
    yield* rows
    const end = rows.at(-1)
    if (end === undefined || rows.length < BATCH) return
    const after = placeOf(end)
    rows = await untilAvailable(() => readBatch(after), wait)
  }
}
