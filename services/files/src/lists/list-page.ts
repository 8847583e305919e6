import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { placeInPath } from '@tideport/file-lifecycle/state/take-path'
import { type ListCursor, listCursor, type NamedList, positionParts } from '@tideport/service-kit/http/list-cursor'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { z } from 'zod'

export interface ListOrder {
  sortBy: 'createdAt' | 'name' | 'path'
  order: 'asc' | 'desc'
}

/**
 * The value of the sort column (UTC with microseconds, a name, or a path) and the tiebreaker: the ID, or the order
 * within a path.
 */
interface ListPosition {
  value: string
  id: string
  /** Whether the page ended at the limit of rows to read. The next page then continues to read. */
  isCut: boolean
}

/**
 * Parts of a keyset query on a table with `id`, `name`, and `created_at`, or the path columns of files. Column names
 * are unqualified.
 */
export interface Keyset {
  position: RawBuilder<string>
  /** The sort column, in the order of the indexes. */
  column: RawBuilder<unknown>
  /** The tiebreaker, to select as `tie` if it is not the ID. */
  tie: RawBuilder<unknown>
  direction: RawBuilder<unknown>
  /** Condition: after the previous page. */
  isNext: RawBuilder<boolean>
  orderBy: RawBuilder<unknown>
  /** One more than the page size, to detect a next page. */
  limit: number
}

export interface PageQuery extends ListOrder {
  cursor?: string | undefined
  limit: number
}

export interface Page<Row> {
  rows: Row[]
  nextCursor: string | null
}

/** A row of a list. An unwanted row only marks the place where reading stopped. */
export type ListedRow<Row> = Row & {
  id: string
  position: string
  tie?: string
  isWanted?: boolean
  /** The last row that was read. More rows may follow. */
  isEnd?: boolean
}

interface OpenPage {
  keyset: Keyset
  /** Whether the previous page was cut: see `ListPosition`. */
  isCut: boolean
  close<Row>(rows: ListedRow<Row>[]): Page<ListedRow<Row>> & { isCut: boolean }
}

/** Rejects with 400 for a cursor of another list, before any row is read. */
export async function openPage(
  db: Kysely<FilesDb>,
  { sortBy, order, cursor, limit }: PageQuery,
  list: NamedList,
): Promise<OpenPage> {
  const cursors = await cursorsOf(db, { sortBy, order }, list)
  const after = cursors.decode(cursor)
  return {
    keyset: keysetOf({ sortBy, order }, after, limit),
    isCut: after?.isCut ?? false,
    close(rows) {
      const end = rows.findIndex(({ isEnd = false }) => isEnd)
      const seen = end === -1 ? rows : rows.slice(0, end + 1)
      const wanted = seen.filter(({ isWanted = true }) => isWanted)
      const page = wanted.slice(0, limit)
      const isCut = end !== -1 && wanted.length < limit
      const hasMore = end !== -1 || wanted.length > limit
      const last = hasMore ? (isCut ? seen : page).at(-1) : undefined
      return {
        rows: page,
        isCut,
        nextCursor: last ? cursors.encode({ value: last.position, id: last.tie ?? last.id, isCut }) : null,
      }
    },
  }
}

export async function readPage<Row>(
  db: Kysely<FilesDb>,
  query: PageQuery,
  list: NamedList,
  select: (keyset: Keyset) => RawBuilder<ListedRow<Row>>,
): Promise<Page<Row>> {
  const page = await openPage(db, query, list)
  const { rows } = await select(page.keyset).execute(db)
  return page.close(rows)
}

export function cursorsOf(
  db: Kysely<FilesDb>,
  { sortBy, order }: ListOrder,
  list: NamedList,
): Promise<ListCursor<ListPosition>> {
  const { id, microseconds, text } = positionParts
  const position = z.object({ value: sortBy === 'createdAt' ? microseconds : text, id, isCut: z.boolean() })
  return listCursor(db, { ...list, sortBy, order }, position)
}

function keysetOf({ sortBy, order }: ListOrder, after: ListPosition | null, limit: number): Keyset {
  const isByTime = sortBy === 'createdAt'
  const { column, tie } = columnsOf(sortBy)
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  const compare = order === 'asc' ? sql`>` : sql`<`
  const value = after && (isByTime ? sql`${after.value}::timestamptz` : sql`${after.value}::text`)
  return {
    position: !isByTime ? sql`${column}` : sql`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
    column,
    tie,
    direction,
    isNext: after === null ? sql`true` : sql`(${column}, ${tie}) ${compare} (${value}, ${after.id}::uuid)`,
    orderBy: sql`${column} ${direction}, ${tie} ${direction}`,
    limit: limit + 1,
  }
}

/** In byte order, like the indexes, regardless of the database's collation. */
function columnsOf(sortBy: ListOrder['sortBy']): Pick<Keyset, 'column' | 'tie'> {
  if (sortBy === 'path') return { column: sql`path`, tie: placeInPath }
  return { column: sortBy === 'name' ? sql`name collate "C"` : sql`created_at`, tie: sql`id` }
}
