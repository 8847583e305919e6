import { isLive } from '@tideport/file-lifecycle/state/queries'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'
import { type DeadLetterFilter, endLook, type Look, type Place } from './look.ts'

/** Each needs a lookup in the timeline of its file. */
const LOOKED_MAX = 500

export type FailedCopy = FileRow & {
  seenAt: Date
  network: string
  /** From the timeline. */
  reason: string | null
  failedAt: Date | null
  place: Place
}

/** Failed copies of live files that are not in error, by network, along the index `copy_failed`. */
export async function lookForFailedCopies(
  db: Kysely<FilesDb>,
  networks: readonly string[],
  { errorCode, olderThanSeconds = 0 }: DeadLetterFilter,
  after: Place | null,
  limit = LOOKED_MAX,
): Promise<Look<FailedCopy>> {
  const isNext = after ? sql`(network, file_id) > (${after.key}, ${after.id}::uuid)` : sql`true`
  const hasReason = errorCode === undefined ? sql`true` : sql`coalesce(failure.reason = ${errorCode}, false)`
  const { rows } = await sql<Omit<FailedCopy, 'place'> & { isWanted: boolean }>`
    with looked as materialized (
      select network, file_id from copy where state = 'failed' and network = any(${networks}::text[]) and ${isNext}
      order by network, file_id limit ${LOOKED_MAX}
    )
    select file.*, now() as seen_at, looked.network, failure.reason, failure.at as failed_at,
      status <> 'error' and ${isLive} and ${hasReason}
        and coalesce(failure.at, file.updated_at) <= now() - make_interval(secs => ${olderThanSeconds}) as is_wanted
    from looked join file on file.id = looked.file_id left join lateral (
      select payload ->> 'reason' as reason, at from event
      where subject_id = file.id and type = 'copy.failed' and payload ->> 'network' = looked.network
      order by event.at desc, event.id desc limit 1
    ) as failure on true
    order by looked.network, file.id`.execute(db)
  const looked = rows.map((row) => ({ ...row, place: { key: row.network, id: row.id } }))
  return endLook(looked, { limit, lookedMax: LOOKED_MAX })
}
