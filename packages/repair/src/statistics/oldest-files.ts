import type { FileStatus } from '@tideport/contracts/public/files'
import { isLive } from '@tideport/file-lifecycle/state/queries'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'

/**
 * Age in seconds of the oldest live file in each status; 0 if none. Uses the index `file_before_cold`. A retried file
 * counts from its confirm, because its owner has waited since then.
 */
export async function oldestByStatus(db: Kysely<FilesDb>): Promise<Partial<Record<FileStatus, number>>> {
  const since = sql`coalesce(errored_at, synced_at, confirmed_at, created_at)`
  const { rows } = await sql<{ status: FileStatus; seconds: number }>`
    select s.status, greatest(0, coalesce(extract(epoch from now() - oldest.since), 0))::float8 as seconds
    from unnest(array['uploading', 'hot', 'synced', 'error']) as s (status)
    left join lateral (
      select ${since} as since from file
      where status = s.status and status <> 'cold' and ${isLive}
      order by ${since} limit 1
    ) as oldest on true`.execute(db)
  return Object.fromEntries(rows.map(({ status, seconds }) => [status, seconds]))
}
