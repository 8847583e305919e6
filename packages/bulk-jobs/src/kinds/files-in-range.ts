import { isBelow } from '@tideport/file-lifecycle/state/queries'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { placeInPath } from '@tideport/file-lifecycle/state/take-path'
import { type Kysely, sql } from 'kysely'

/** Files of a vault below a prefix, in path order: files outside the trash, files in it, or files that await review. */
export interface PathRange {
  vaultId: string
  prefix: string
  among: 'kept' | 'trash' | 'review'
  /** Of those in the trash, the ones that went there then or later are wanted; all unless given. */
  trashedSince?: string | undefined
}

/** Where a range was left: the last file that was looked at. */
export interface PathPlace {
  path: string
  /** Of several files at one path. */
  tie: string
}

/** A file of a range as it was seen, and its place there. */
export interface FileInRange extends PathPlace {
  id: string
  /** Confirmed, and not in the trash for too long. */
  isWanted: boolean
}

/** As the indexes by path have them. */
const membership = {
  kept: sql`deleted_at is null`,
  trash: sql`deleted_at is not null`,
  review: sql`awaiting_review and deleted_at is null`,
}

/** The next files of a range, with those that are not wanted. Fewer than `limit`: these were the last. */
export async function nextInRange(
  db: Kysely<FilesDb>,
  { vaultId, prefix, among, trashedSince }: PathRange,
  { after, limit }: { after: PathPlace | null; limit: number },
): Promise<FileInRange[]> {
  const isNext = after === null ? sql`true` : sql`(path, ${placeInPath}) > (${after.path}::text, ${after.tie}::uuid)`
  const isOfTime = trashedSince === undefined ? sql`true` : sql`deleted_at >= ${trashedSince}::timestamptz`
  const { rows } = await sql<FileInRange>`
    select id, path, ${placeInPath} as tie, status <> 'uploading' and ${isOfTime} as is_wanted from file
    where vault_id = ${vaultId} and ${membership[among]}
      and purging_at is null and ${isBelow(prefix)} and ${isNext}
    order by path, ${placeInPath} limit ${limit}`.execute(db)
  return rows
}
