import { isLive } from '@tideport/file-lifecycle/state/queries'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, type RawBuilder, sql } from 'kysely'

/** `key`: a time in UTC with microseconds, or a network. */
export interface Place {
  key: string
  id: string
}

export interface DeadLetterFilter {
  errorCode?: string | undefined
  olderThanSeconds?: number | undefined
}

/** The rows that one bounded statement found, and the place where it stopped. Null: it reached the last row. */
export interface Look<Row> {
  rows: Row[]
  end: Place | null
}

export async function* lookThrough<Row>(
  look: (after: Place | null) => Promise<Look<Row>>,
  after: Place | null,
): AsyncGenerator<Row> {
  let place = after
  do {
    const { rows, end } = await look(place)
    yield* rows
    place = end
  } while (place !== null)
}

/** Number of rows to read for `limit` results: one more, or the maximum if a reason filters the rows. */
const lookedFor = (errorCode: string | undefined, limit: number, most: number): number =>
  errorCode === undefined ? Math.min(limit + 1, most) : most

/** The first `limit` wanted rows. Fewer rows than `lookedMax` mean that no rows follow. */
function endLook<Row extends { place: Place; isWanted: boolean }>(
  looked: readonly Row[],
  { limit, lookedMax }: { limit: number; lookedMax: number },
): Look<Row> {
  const wanted = looked.filter(({ isWanted }) => isWanted)
  if (wanted.length > limit) return { rows: wanted.slice(0, limit), end: wanted[limit - 1]?.place ?? null }
  return { rows: wanted, end: looked.length === lookedMax ? (looked.at(-1)?.place ?? null) : null }
}

const placeOfTime = (time: RawBuilder<unknown>): RawBuilder<string> =>
  sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`

/** Rows per statement. Each copy also needs a lookup in the timeline of its file. */
const LOOKED_MAX = 1000
const COPIES_MAX = 500

export type FailedCopy = FileRow & {
  seenAt: Date
  network: string
  /** From the timeline. */
  reason: string | null
  failedAt: Date | null
  place: Place
}

/** Failed copies of live files that are not in error, by network, read from the index `copy_failed`. */
export async function lookForFailedCopies(
  db: Kysely<FilesDb>,
  networks: readonly string[],
  { errorCode, olderThanSeconds = 0 }: DeadLetterFilter,
  after: Place | null,
  limit = COPIES_MAX,
): Promise<Look<FailedCopy>> {
  const isNext = after ? sql`(network, file_id) > (${after.key}, ${after.id}::uuid)` : sql`true`
  const hasReason = errorCode === undefined ? sql`true` : sql`coalesce(failure.reason = ${errorCode}, false)`
  const { rows } = await sql<Omit<FailedCopy, 'place'> & { isWanted: boolean }>`
    with looked as materialized (
      select network, file_id from copy where state = 'failed' and network = any(${networks}::text[]) and ${isNext}
      order by network, file_id limit ${COPIES_MAX}
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
  return endLook(looked, { limit, lookedMax: COPIES_MAX })
}

export type FileInError = FileRow & { seenAt: Date; place: Place }

/** Live files in error, oldest error first, read from the index `file_before_cold`. */
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

/** Relays publish within seconds, so older events wait for a broker or a relay. */
const LONG_SECONDS = 300

export interface UnpublishedEvent {
  id: string
  accountId: string
  subjectId: string
  type: string
  at: Date
  /** Null: not published yet. */
  failure: string | null
  place: Place
}

/** Unpublished and invalid events, oldest first. */
export async function lookForUnpublished(
  db: Kysely<FilesDb>,
  { errorCode, olderThanSeconds = LONG_SECONDS }: DeadLetterFilter,
  after: Place | null,
  limit = LOOKED_MAX,
): Promise<Look<UnpublishedEvent>> {
  const columns = sql`id, account_id, subject_id, type, at, ${placeOfTime(sql`at`)} as placed_at, failure`
  const isNext = after ? sql`(at, id) > (${after.key}::timestamptz, ${after.id}::uuid)` : sql`true`
  const isAsked = sql`at <= now() - make_interval(secs => ${olderThanSeconds}) and ${isNext}`
  const lookedMax = lookedFor(errorCode, limit, LOOKED_MAX)
  const { rows } = await sql<Omit<UnpublishedEvent, 'place'> & { placedAt: string }>`
    select * from (
      (select ${columns} from event where is_public and published_at is null and failed_at is null and ${isAsked}
       order by event.at, id limit ${lookedMax})
      union all
      (select ${columns} from event where failed_at is not null and ${isAsked} order by event.at, id limit ${lookedMax})
    ) as waiting
    order by waiting.at, id limit ${lookedMax}`.execute(db)
  const looked = rows.map(({ placedAt, ...event }) => {
    const isWanted = errorCode === undefined || event.failure === errorCode
    return { ...event, isWanted, place: { key: placedAt, id: event.id } }
  })
  return endLook(looked, { limit, lookedMax })
}
