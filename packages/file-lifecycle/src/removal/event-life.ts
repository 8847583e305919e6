import { streams } from '@tideport/contracts/internal/streams'
import { type RawBuilder, sql } from 'kysely'

export interface EventLife {
  /** How long an event may be sent again; unset: as long as a new stream keeps it. */
  eventsMaxAgeSeconds?: number | undefined
  /** How long the log of an account tells of what is gone; unset: a year. */
  auditRetentionSeconds?: number | undefined
}

const YEAR_SECONDS = 365 * 86_400

/** How long an event can be told again, as an interval. */
export function newsLife({ eventsMaxAgeSeconds = streams.events.maxAgeSeconds }: EventLife): RawBuilder<unknown> {
  return sql`make_interval(secs => ${eventsMaxAgeSeconds})`
}

/** How long a row of `event` outlives its subject, as an interval: in the log of its account, or to be told again. */
export function eventLife(settings: EventLife): RawBuilder<unknown> {
  const { auditRetentionSeconds = YEAR_SECONDS } = settings
  const news = newsLife(settings)
  return sql`case when actor is null then ${news}
    else greatest(${news}, make_interval(secs => ${auditRetentionSeconds})) end`
}
