import { type Kysely, sql } from 'kysely'
import type { FilesDb } from '../state/tables.ts'

/** How many hot copies may still be dropped in this minute, by all processes of the deployment together. */
export interface EvictionRate {
  /** What this process knows without asking. */
  hasRoom(): boolean
  /** Takes one and answers 0, or takes none and answers about how many seconds there will be no room. */
  take(): Promise<number>
}

type Waiting = PromiseWithResolvers<number>

/**
 * At most `perMinute` takes in any window of 60 seconds, counted in one row of Postgres. Takes of this process that
 * come while one is being asked for are asked for together, so the row is written once for all of them. A take that a
 * process does not live to use counts for its minute, and no longer.
 */
export function createEvictionRate(db: Kysely<FilesDb>, perMinute: number): EvictionRate {
  let waiting: Waiting[] = []
  let isAsking = false
  let fullUntil = 0

  async function askForAll(): Promise<void> {
    isAsking = true
    while (waiting.length > 0) {
      const asked = waiting
      waiting = []
      await askFor(asked)
    }
    isAsking = false
  }

  async function askFor(asked: Waiting[]): Promise<void> {
    try {
      const { granted, waitSeconds } = await grant(db, perMinute, asked.length)
      if (granted < asked.length) fullUntil = performance.now() + waitSeconds * 1000
      for (const [index, { resolve }] of asked.entries()) resolve(index < granted ? 0 : waitSeconds)
    } catch (error) {
      for (const { reject } of asked) reject(error)
    }
  }

  return {
    hasRoom: () => performance.now() >= fullUntil,
    take() {
      const taken = Promise.withResolvers<number>()
      waiting.push(taken)
      if (!isAsking) void askForAll()
      return taken.promise
    },
  }
}

const LEAST_WAIT_SECONDS = 0.1
/** Of a second nobody knows which part was used, so each is remembered for one more than a minute. */
const REMEMBERED_SECONDS = 61

/**
 * One update of one row that looks only at that row: whoever had to wait for another's finds what that one left, as no
 * other table would show it.
 */
async function grant(
  db: Kysely<FilesDb>,
  perMinute: number,
  wanted: number,
): Promise<{ granted: number; waitSeconds: number }> {
  const clock = sql`extract(epoch from clock_timestamp())`
  const { rows } = await sql<{ granted: number; waitSeconds: number }>`
    update eviction_rate set (taken, granted) = (
      select kept || jsonb_build_object(second, coalesce((kept ->> second)::int, 0) + recent.granted), recent.granted
      from (
        select coalesce(jsonb_object_agg(key, value), '{}') as kept, floor(${clock})::bigint::text as second,
          greatest(0, least(${wanted}::int, ${perMinute}::int - coalesce(sum(value::int), 0)))::int as granted
        from jsonb_each(eviction_rate.taken) where key::bigint > ${clock} - ${REMEMBERED_SECONDS}::int
      ) as recent)
    returning granted,
      ((select min(key::bigint) from jsonb_each(taken)) + ${REMEMBERED_SECONDS}::int - ${clock})::float8 as wait_seconds`.execute(
    db,
  )
  const [answer] = rows
  if (!answer) throw new Error('The row of the eviction rate is missing')
  return { granted: answer.granted, waitSeconds: Math.max(LEAST_WAIT_SECONDS, answer.waitSeconds) }
}
