import { camelCase } from '@tideport/service-kit/config/config'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { FileCopies } from './file-copies.ts'
import type { CopyRow, FileRow, FilesDb } from './tables.ts'

/** A file with its copies, and the database's time when they were so. */
export interface SeenCopies extends FileCopies {
  seenAt: Date
}

/** A row of a statement that reads a file and, by `copiesOfFile`, its copies. */
export type FileWithJson<More = unknown> = FileRow & { copies: JsonRow[] } & More

/** A row as `to_jsonb` gives it. */
export type JsonRow = Record<string, unknown>

/**
 * The copies of the row `file`, for the list of a select: of one snapshot with it, so a guard on its version holds for
 * both.
 */
export const copiesOfFile: RawBuilder<JsonRow[]> = sql`(
  select coalesce(jsonb_agg(to_jsonb(copy) order by copy.network), '[]') from copy where copy.file_id = file.id)`

/** A confirmed file with its copies, in one statement. Null: there is none, or it is being purged. */
export async function readFileCopies(db: Kysely<FilesDb>, fileId: string): Promise<SeenCopies | null> {
  const { rows } = await sql<FileWithJson<{ seenAt: Date }>>`
    select file.*, now() as seen_at, ${copiesOfFile} as copies from file
    where id = ${fileId} and purging_at is null`.execute(db)
  const [row] = rows
  return row ? asSeenCopies(row) : null
}

/** What a statement read by `copiesOfFile`, and its `now()`. */
export function asSeenCopies({ seenAt, copies, ...file }: FileWithJson<{ seenAt: Date }>): SeenCopies {
  return { file, copies: copies.map(copyFromJson), seenAt }
}

type Instant = { [K in keyof CopyRow]: Date extends CopyRow[K] ? K : never }[keyof CopyRow]

const instants: Record<Instant, true> = {
  dueAt: true,
  lostAt: true,
  claimedUntil: true,
  storedAt: true,
  fileSyncedAt: true,
  provedAt: true,
  checkedAt: true,
  leasedAt: true,
  leaseExpiresAt: true,
  renewDueAt: true,
}

/** The row of a copy as every other statement gives it. */
export function copyFromJson(row: JsonRow): CopyRow {
  const entries = Object.entries(row).map(([column, value]) => {
    const name = camelCase(column)
    return [name, name in instants && value !== null ? new Date(value as string) : value]
  })
  return Object.fromEntries(entries) as CopyRow
}
