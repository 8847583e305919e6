import {
  asSeenCopies,
  copiesOfFile,
  type FileWithJson,
  type SeenCopies,
} from '@tideport/file-lifecycle/state/file-copies'
import { isLive } from '@tideport/file-lifecycle/state/queries'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'

/** Sorts before each ID. */
export const firstPlace = '00000000-0000-0000-0000-000000000000'

const FILES = 500

/** Reads a batch of live files with their copies, by ID and so by creation. Null: no files follow. */
export async function filesAfter(
  db: Kysely<FilesDb>,
  after: string,
): Promise<{ files: SeenCopies[]; next: string | null }> {
  const { rows } = await sql<FileWithJson<{ seenAt: Date; isLive: boolean }>>`
    select *, (${isLive}) as is_live, now() as seen_at, ${copiesOfFile} as copies
    from file where id > ${after}::uuid order by id limit ${FILES}`.execute(db)
  const files = rows.filter((row) => row.isLive).map(({ isLive: _, ...row }) => asSeenCopies(row))
  return { files, next: rows.length === FILES ? (rows.at(-1)?.id ?? null) : null }
}

/** Services create IDs with their own clocks. */
const CLOCKS_DIFFER_MS = 300_000

/** Sorts before each ID of this time or later. */
export function placeOf(time: Date): string {
  const digits = (time.getTime() - CLOCKS_DIFFER_MS).toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`
}
