import { type RawBuilder, sql } from 'kysely'
import type { Keyset, ListedRow } from './list-page.ts'

/** So many rows are looked through for one page at most (ADR 0007). */
export const ROWS_MAX = 2000
/** So many lanes of one kind are read side by side at most. */
export const LANES_MAX = 64
/** A page that every row belongs on is never cut: more than any holds. */
const LANE_ROWS_MIN = 125

export interface Lane {
  /** Condition on `file`, which this index serves whole: nothing is filtered on the way. */
  where: RawBuilder<unknown>
  /** Not one lane but several: one for each row of this table expression, whose columns `where` names. */
  each?: { of: RawBuilder<unknown>; count: number }
}

export interface Walk {
  /** Disjoint; all files of the list are in them. */
  lanes: Lane[]
  /** Condition on `file`: which of them the list has. */
  isWanted: RawBuilder<unknown>
  /** Beginning with a comma: what is selected of `file` besides its own columns. */
  columns?: RawBuilder<unknown>
}

/** Reads a bounded number of rows. If more might follow, the last one that was read is marked as the end. */
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

/** Postgres reads no further than the page: each step keeps the order of the index. */
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

/** Halved for twice as many: few different statements, each of which is planned once. */
function rowsOfEach(count: number): number {
  return Math.max(LANE_ROWS_MIN, ROWS_MAX >> Math.ceil(Math.log2(Math.max(1, count))))
}
