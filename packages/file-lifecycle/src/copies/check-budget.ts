import { type Kysely, sql } from 'kysely'
import type { FilesDb } from '../state/tables.ts'
import { utcToday } from '../state/usage-days.ts'

/** Limits of all processes together for the checks of a network's copies in a day (UTC). Undefined: no limit. */
export interface CheckBudget {
  bytesPerDay: number | undefined
  requestsPerDay: number | undefined
}

/** Maximum requests of a driver to prove a copy: for its bytes, their proof, and its lease. */
export const REQUESTS_A_CHECK = 3

/**
 * Charges a check to today's budget unless that is used up, so that even the largest copy is checked. False: used up.
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

/** A random time in the first hour of tomorrow, when the next budget begins. */
export const tomorrow = sql`(date_trunc('day', now() at time zone 'utc') + interval '1 day') at time zone 'utc'
  + random() * interval '1 hour'`
