import { type RawBuilder, sql } from 'kysely'
import type { Keyset, ListedRow } from './list-page.ts'

/** Most rows that one page may read (ADR 0007). */
export const ROWS_MAX = 2000
/** Most lanes of one kind that are read in parallel. */
export const LANES_MAX = 64
/** Larger than any page, so a page whose rows all match is never cut. */
const LANE_ROWS_MIN = 125

export interface Lane {
  /** Condition on `file` that one index covers completely, so no rows are filtered. */
  where: RawBuilder<unknown>
  /** One lane for each row of this table expression. `where` refers to its columns. */
  each?: { of: RawBuilder<unknown>; count: number }
}

export interface Walk {
  /** Disjoint lanes that together contain all files of the list. */
  lanes: Lane[]
  /** Condition on `file`: the files that belong to the list. */
  isWanted: RawBuilder<unknown>
  /** Additional columns, beginning with a comma. */
  columns?: RawBuilder<unknown>
}

/** Reads a bounded number of rows. If more rows may follow, marks the last one as the end. */
export function scanFiles<Row>({ lanes, isWanted, columns = sql`` }: Walk, keyset: Keyset): RawBuilder<ListedRow<Row>> {
  const rowsMax = rowsOfEach(lanes.reduce((sum, { each }) => sum + (each?.count ?? 1), 0))
  const all = sql.join(
    lanes.map(({ where, each }) => {
      const lane = walkLane(where, isWanted, keyset, rowsMax)
      return each ? sql`(select file.* from ${each.of} cross join lateral (${lane}) as file)` : sql`(${lane})`
    }),
    sql` union all `,
  )
  return sql`
    select file.*, ${keyset.position} as position ${columns} from (${all}) as file
    order by sort_key ${keyset.direction}, tie ${keyset.direction} limit ${keyset.limit}`
}

/** Each step preserves the order of the index, so Postgres stops reading at the end of the page. */
function walkLane(where: RawBuilder<unknown>, isWanted: RawBuilder<unknown>, keyset: Keyset, rowsMax: number) {
  const { column, tie, isNext, orderBy, direction, limit } = keyset
  const inOrder = sql`sort_key ${direction}, tie ${direction}`
  return sql`
    select * from (
      select *, (${isWanted}) as is_wanted, row_number() over (order by ${inOrder}) = ${sql.lit(rowsMax)} as is_end
      from (
        select *, ${column} as sort_key, ${tie} as tie from file where ${where} and ${isNext}
        order by ${orderBy} limit ${sql.lit(rowsMax)}) as file) as file
    where is_wanted or is_end order by ${inOrder} limit ${limit}`
}

/** Halves the rows per lane each time the number of lanes doubles, so only a few different statements need a plan. */
function rowsOfEach(count: number): number {
  return Math.max(LANE_ROWS_MIN, ROWS_MAX >> Math.ceil(Math.log2(Math.max(1, count))))
}
