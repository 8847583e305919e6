import { sql } from 'kysely'

/** The day (UTC) on which the transaction began, by Postgres's clock. */
export const utcToday = sql`(now() at time zone 'utc')::date`
