import { type Kysely, sql } from 'kysely'
import type { FilesDb } from '../state/tables.ts'
import { utcToday } from '../state/usage-days.ts'

/** What all processes together may spend in a day (UTC) on checks of one network's copies; undefined: no limit. */
export interface CheckBudget {
  bytesPerDay: number | undefined
  requestsPerDay: number | undefined
}

/** A driver makes no more to prove a copy: for its bytes, for what proves them, for its lease. */
export const REQUESTS_A_CHECK = 3

/**
 * Takes a check of so many bytes out of today's budget. It is given for as long as anything is left, so that no copy is
 * larger than every day's. False: it is spent.
 */
export async function takeCheck(
  db: Kysely<FilesDb>,
  network: string,
  { bytesPerDay, requestsPerDay }: CheckBudget,
  bytes: number,
): Promise<boolean> {
  const { rows } = await sql`
    insert into check_spending as spent (network, day, bytes, requests)
    values (${network}, ${utcToday}, ${bytes}, ${REQUESTS_A_CHECK})
    on conflict (network) do update set day = excluded.day,
      bytes = excluded.bytes + case when spent.day = excluded.day then spent.bytes else 0 end,
      requests = excluded.requests + case when spent.day = excluded.day then spent.requests else 0 end
    where spent.day <> excluded.day
      or (spent.bytes < coalesce(${bytesPerDay ?? null}::bigint, spent.bytes + 1)
        and spent.requests < coalesce(${requestsPerDay ?? null}::bigint, spent.requests + 1))
    returning network`.execute(db)
  return rows.length > 0
}

/** Some time in the first hour of tomorrow, when there is a new budget. */
export const tomorrow = sql`(date_trunc('day', now() at time zone 'utc') + interval '1 day') at time zone 'utc'
  + random() * interval '1 hour'`
