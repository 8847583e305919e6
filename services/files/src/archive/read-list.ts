import { postgresWaitMs } from '@tideport/contracts/internal/request-headers'
import { isBelow, isLive } from '@tideport/file-lifecycle/state/queries'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { placeInPath } from '@tideport/file-lifecycle/state/take-path'
import { withWaitBudget } from '@tideport/service-kit/context/request-context'
import { WaitBudget } from '@tideport/service-kit/context/wait-budget'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { Room } from '@tideport/service-kit/process/byte-share'
import { type Kysely, sql } from 'kysely'
import { isIn, type SeenVault } from '../lookups/authorized-vault.ts'
import { type ArchivedFile, type ArchiveList, createArchiveList } from './archive-list.ts'

/** Rows per query. The list is read in pages. */
const PAGE = 2000
const HELD_BYTES_MAX = 16 * 1024 ** 2

interface Asked {
  vault: SeenVault
  prefix: string
  filesMax: number
  room: Room
}

interface ListedRow {
  id: string
  path: string
  tie: string
  sizeBytes: number
  confirmedAt: Date
  crc32: number | null
  hasBytes: boolean
}

/**
 * Reads the files at one point in time, ordered by path. Throws `too_large` for too many files, and `content_lost` for
 * a file without bytes.
 */
export async function readList(db: Kysely<FilesDb>, { vault, prefix, filesMax, room }: Asked): Promise<ArchiveList> {
  const list = createArchiveList(room)
  let seen = 0
  await db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute(async (trx) => {
      let last: ListedRow | undefined
      for (let page: ListedRow[] | undefined; page === undefined || page.length === PAGE; ) {
        const after = last
        page = await withWaitBudget(new WaitBudget(postgresWaitMs), () => readPage(trx, { vault, prefix }, after))
        for (const row of page) {
          if (last !== undefined && last.path !== row.path) add(list, last)
          last = row
        }
        seen += page.length
        if (seen > filesMax || list.heldBytes > HELD_BYTES_MAX) throw tooMany(filesMax)
      }
      if (last !== undefined) add(list, last)
    })
  return list
}

async function readPage(
  db: Kysely<FilesDb>,
  { vault, prefix }: Pick<Asked, 'vault' | 'prefix'>,
  last: ListedRow | undefined,
): Promise<ListedRow[]> {
  const isNext = last === undefined ? sql`true` : sql`(path, ${placeInPath}) > (${last.path}::text, ${last.tie}::uuid)`
  const { rows } = await sql<ListedRow>`
    select id, path, ${placeInPath} as tie, size_bytes, confirmed_at, crc32,
      (hot_key is not null or synced_at is not null) as has_bytes
    from file where ${isIn(vault)} and ${isLive} and status <> 'uploading' and ${isBelow(prefix)} and ${isNext}
    order by path, ${placeInPath} limit ${sql.lit(PAGE)}`.execute(db)
  return rows
}

function add(list: ArchiveList, row: ListedRow): void {
  if (!row.hasBytes) {
    throw new AppError('content_lost', 'The content of a file is lost', { details: { fileId: row.id, path: row.path } })
  }
  list.add(entryOf(row))
}

function entryOf({ id, path, sizeBytes, confirmedAt, crc32 }: ListedRow): ArchivedFile {
  const seconds = Math.floor(confirmedAt.getTime() / 1000)
  return { id, name: Buffer.from(safePath(path)), sizeBytes, seconds, crc: sizeBytes === 0 ? 0 : crc32 }
}

/** A file without a folder may have the name `.` or `..`, which would lead outside the target folder. */
function safePath(path: string): string {
  return path === '.' || path === '..' ? path.replaceAll('.', '%2E') : path
}

function tooMany(filesMax: number): AppError {
  return new AppError('too_large', 'The archive has too many files. Request fewer files with prefix.', {
    details: { filesMax },
  })
}
