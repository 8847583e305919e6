import { streams } from '@tideport/contracts/internal/streams'
import { type RawBuilder, sql } from 'kysely'

export interface EventLife {
  /** How long an event may be sent again; unset: the age limit of a new stream. */
  eventsMaxAgeSeconds?: number | undefined
  /** How long the log of an account keeps events of deleted subjects; unset: a year. */
  auditRetentionSeconds?: number | undefined
}

const YEAR_SECONDS = 365 * 86_400

export function newsLife({ eventsMaxAgeSeconds = streams.events.maxAgeSeconds }: EventLife): RawBuilder<unknown> {
  return sql`make_interval(secs => ${eventsMaxAgeSeconds})`
}

/** How long a row of `event` outlives its subject, as an interval. */
export function eventLife(settings: EventLife): RawBuilder<unknown> {
  const { auditRetentionSeconds = YEAR_SECONDS } = settings
  const news = newsLife(settings)
  return sql`case when actor is null then ${news}
    else greatest(${news}, make_interval(secs => ${auditRetentionSeconds})) end`
}
