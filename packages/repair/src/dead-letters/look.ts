import { type RawBuilder, sql } from 'kysely'

/** Where a walk goes on: after this one. `key`: a time in UTC with microseconds, or a network. */
export interface Place {
  key: string
  id: string
}

/** Which ones are meant. */
export interface DeadLetterFilter {
  /** Given up for this reason only. */
  errorCode?: string | undefined
  /** Given up for so long at least. */
  olderThanSeconds?: number | undefined
}

/** What one statement found, which reads a bounded number of rows, and where it ended; null: at the end of all. */
export interface Look<Row> {
  rows: Row[]
  end: Place | null
}

/** All that is found, look by look. */
export async function* lookThrough<Row>(
  look: (after: Place | null) => Promise<Look<Row>>,
  after: Place | null,
): AsyncGenerator<Row> {
  let place = after
  do {
    const { rows, end } = await look(place)
    yield* rows
    place = end
  } while (place !== null)
}

/** How many rows have to be looked at for `limit`: one more tells whether there are others; for a reason, as many as may be. */
export const lookedFor = (errorCode: string | undefined, limit: number, most: number): number =>
  errorCode === undefined ? Math.min(limit + 1, most) : most

/** The first `limit` that are wanted of `looked` rows. Fewer than `lookedMax` were all there are. */
export function endLook<Row extends { place: Place; isWanted: boolean }>(
  looked: readonly Row[],
  { limit, lookedMax }: { limit: number; lookedMax: number },
): Look<Row> {
  const wanted = looked.filter(({ isWanted }) => isWanted)
  if (wanted.length > limit) return { rows: wanted.slice(0, limit), end: wanted[limit - 1]?.place ?? null }
  return { rows: wanted, end: looked.length === lookedMax ? (looked.at(-1)?.place ?? null) : null }
}

/** A time as a place has it. */
export const placeOfTime = (time: RawBuilder<unknown>): RawBuilder<string> =>
  sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
