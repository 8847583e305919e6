import { type RawBuilder, sql } from 'kysely'

/** `key`: a time in UTC with microseconds, or a network. */
export interface Place {
  key: string
  id: string
}

export interface DeadLetterFilter {
  errorCode?: string | undefined
  olderThanSeconds?: number | undefined
}

/** The rows that one bounded statement found, and where it ended; null: at the end. */
export interface Look<Row> {
  rows: Row[]
  end: Place | null
}

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

/** How many rows to read for `limit` results: one more, or as many as allowed if a reason filters them. */
export const lookedFor = (errorCode: string | undefined, limit: number, most: number): number =>
  errorCode === undefined ? Math.min(limit + 1, most) : most

/** The first `limit` wanted rows. Fewer than `lookedMax` read: the end. */
export function endLook<Row extends { place: Place; isWanted: boolean }>(
  looked: readonly Row[],
  { limit, lookedMax }: { limit: number; lookedMax: number },
): Look<Row> {
  const wanted = looked.filter(({ isWanted }) => isWanted)
  if (wanted.length > limit) return { rows: wanted.slice(0, limit), end: wanted[limit - 1]?.place ?? null }
  return { rows: wanted, end: looked.length === lookedMax ? (looked.at(-1)?.place ?? null) : null }
}

export const placeOfTime = (time: RawBuilder<unknown>): RawBuilder<string> =>
  sql`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`
