import { streams } from '@tideport/contracts/internal/streams'
import { type RawBuilder, sql } from 'kysely'

export interface EventLife {
  /** How long an event may be sent again; unset: as long as a new stream keeps it. */
  eventsMaxAgeSeconds?: number | undefined
}

/** How long an event outlives its subject, as an interval. */
export function eventLife({ eventsMaxAgeSeconds = streams.events.maxAgeSeconds }: EventLife): RawBuilder<unknown> {
  return sql`make_interval(secs => ${eventsMaxAgeSeconds})`
}
