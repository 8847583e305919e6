import {
  asSeenCopies,
  copiesOfFile,
  type FileWithJson,
  type SeenCopies,
} from '@tideport/file-lifecycle/state/file-copies'
import { isLive } from '@tideport/file-lifecycle/state/queries'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'

/** Comes before every id. */
export const firstPlace = '00000000-0000-0000-0000-000000000000'

const FILES = 500

/**
 * A batch of the files after this id that nobody threw away, with their copies, in the order of ids, which is that of
 * creation, and where the next one begins; null: this was the last.
 */
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

/** Services make ids by their own clocks. */
const CLOCKS_DIFFER_MS = 300_000

/** Comes before every id that was made at this time or later. */
export function placeOf(time: Date): string {
  const digits = (time.getTime() - CLOCKS_DIFFER_MS).toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`
}
