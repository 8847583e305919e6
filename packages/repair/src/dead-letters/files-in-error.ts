import { isLive } from '@tideport/file-lifecycle/state/queries'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'
import { type DeadLetterFilter, endLook, type Look, lookedFor, type Place, placeOfTime } from './look.ts'

const LOOKED_MAX = 1000

export type FileInError = FileRow & { seenAt: Date; place: Place }

/** Live files in error, oldest error first, along the index `file_before_cold`. */
export async function lookForErrors(
  db: Kysely<FilesDb>,
  { errorCode, olderThanSeconds = 0 }: DeadLetterFilter,
  after: Place | null,
  limit = LOOKED_MAX,
): Promise<Look<FileInError>> {
  const since = sql`coalesce(errored_at, synced_at, confirmed_at, created_at)`
  const isNext = after ? sql`(${since}, id) > (${after.key}::timestamptz, ${after.id}::uuid)` : sql`true`
  const lookedMax = lookedFor(errorCode, limit, LOOKED_MAX)
  const { rows } = await sql<FileRow & { seenAt: Date; placedAt: string }>`
    select *, now() as seen_at, ${placeOfTime(since)} as placed_at from file
    where status = 'error' and status <> 'cold' and ${isLive} and ${isNext}
      and ${since} <= now() - make_interval(secs => ${olderThanSeconds})
    order by ${since}, id limit ${lookedMax}`.execute(db)
  const looked = rows.map(({ placedAt, ...file }) => {
    const isWanted = errorCode === undefined || file.errorCode === errorCode
    return { ...file, isWanted, place: { key: placedAt, id: file.id } }
  })
  return endLook(looked, { limit, lookedMax })
}
