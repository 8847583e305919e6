import type { Printer } from '@tideport/service-kit/process/print-rows'
import { sql } from 'kysely'
import type { Installation } from '../open-installation.ts'
import { formatPlace, parsePlace } from '../options.ts'
import type { Page } from './dead-letters.ts'

/** Relays need seconds; what waits for longer waits for a broker, or for a relay. */
const LONG_SECONDS = 300

interface Waiting {
  id: string
  subjectId: string
  failure: string | null
  type: string
  at: Date
  placedAt: string
}

const columns = sql`id, subject_id, type, at, at::text as placed_at, failure`

/** Events that no relay got out, or that break their contract, oldest first. Returns where the next page begins. */
export async function listUnpublished(
  { db }: Installation,
  { limit, olderThanSeconds = LONG_SECONDS, after }: Page,
  printer: Printer,
): Promise<string | null> {
  const place = parsePlace<{ at: string; id: string }>('after', after)
  const isNext = place ? sql`(at, id) > (${place.at}::timestamptz, ${place.id}::uuid)` : sql`true`
  const isAsked = sql`at <= now() - make_interval(secs => ${olderThanSeconds}) and ${isNext}`
  const { rows } = await sql<Waiting>`
    select * from (
      (select ${columns} from event where is_public and published_at is null and failed_at is null and ${isAsked}
       order by event.at, id limit ${limit + 1})
      union all
      (select ${columns} from event where failed_at is not null and ${isAsked} order by event.at, id limit ${limit + 1})
    ) as waiting
    order by waiting.at, id limit ${limit + 1}`.execute(db)
  const shown = rows.slice(0, limit)
  for (const { id, subjectId, type, at, failure } of shown)
    printer.row({ kind: 'event', eventId: id, subjectId, event: type, since: at, failure })
  const last = shown.at(-1)
  return rows.length > limit && last ? formatPlace({ at: last.placedAt, id: last.id }) : null
}
