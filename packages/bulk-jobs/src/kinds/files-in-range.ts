import { isBelow } from '@tideport/file-lifecycle/state/queries'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { placeInPath } from '@tideport/file-lifecycle/state/take-path'
import { type Kysely, sql } from 'kysely'

/** Files of a vault below a prefix by path: outside the trash, in it, or awaiting review. */
export interface PathRange {
  vaultId: string
  prefix: string
  among: 'kept' | 'trash' | 'review'
  /** Only files trashed since then. */
  trashedSince?: string | undefined
}

/** The last file that was read. */
export interface PathPlace {
  path: string
  /** Distinguishes several files at one path. */
  tie: string
}

export interface FileInRange extends PathPlace {
  id: string
  /** Confirmed, and not trashed before `trashedSince`. */
  isWanted: boolean
}

/** As in the indexes by path. */
const membership = {
  kept: sql`deleted_at is null`,
  trash: sql`deleted_at is not null`,
  review: sql`awaiting_review and deleted_at is null`,
}

/** Includes files that are not wanted. Fewer than `limit`: the last ones. */
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
