import type { HotTier } from '@tideport/file-lifecycle/hot-tier'
import { settleUpload } from '@tideport/file-lifecycle/settle-upload'
import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { type Kysely, sql } from 'kysely'
import { drain, isUnclaimed } from './drain.ts'

/** Clears what uploads of confirmed files may have left, once nothing of them can be under way. */
export async function settleUploads(
  deps: { db: Kysely<FilesDb>; hotTier: HotTier },
  signal: AbortSignal,
): Promise<void> {
  const due = (limit: number) => sql<{ id: string }>`
    select id from file
    where settle_at <= now() and status <> 'uploading' and purging_at is null and ${isUnclaimed}
    order by settle_at limit ${limit}`
  await drain(deps.db, signal, due, (fileId) => settleUpload(deps, fileId, signal))
}
