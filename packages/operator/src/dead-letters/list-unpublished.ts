import type { Printer } from '@tideport/service-kit/process/print-rows'
import { sql } from 'kysely'
import type { Installation } from '../open-installation.ts'
import { formatPlace, parsePlace } from '../options.ts'
import type { Page } from './dead-letters.ts'

/** Relays need seconds; what waits for longer waits for a broker, or for a relay. */
const LONG_SECONDS = 300

interface Waiting {
  id: string
  fileId: string
  type: string
  at: Date
  placedAt: string
}

/** Events that no relay got out, oldest first. Answers where the next page begins. */
export async function listUnpublished(
  { db }: Installation,
  { limit, olderThanSeconds = LONG_SECONDS, after }: Page,
  printer: Printer,
): Promise<string | null> {
  const place = parsePlace<{ at: string; id: string }>('after', after)
  const isNext = place ? sql`(at, id) > (${place.at}::timestamptz, ${place.id}::uuid)` : sql`true`
  const { rows } = await sql<Waiting>`
    select id, file_id, type, at, at::text as placed_at from file_event
    where published_at is null and type like 'file.%' and at <= now() - make_interval(secs => ${olderThanSeconds})
      and ${isNext}
    order by file_event.at, id limit ${limit + 1}`.execute(db)
  const shown = rows.slice(0, limit)
  for (const { id, fileId, type, at } of shown) printer.row({ kind: 'event', eventId: id, fileId, event: type, since: at }) // biome-ignore format: one chain
  const last = shown.at(-1)
  return rows.length > limit && last ? formatPlace({ at: last.placedAt, id: last.id }) : null
}
