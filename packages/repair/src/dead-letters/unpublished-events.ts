import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'
import { type DeadLetterFilter, endLook, type Look, lookedFor, type Place, placeOfTime } from './look.ts'

const LOOKED_MAX = 1000
/** Relays need seconds, so these wait for a broker or a relay. */
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
