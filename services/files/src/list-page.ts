import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { decodeCursor, encodeCursor, type ListOrder, type ListPosition } from './cursor.ts'

/** Parts of a keyset query on a table with `id`, `name`, `created_at`; the names are unqualified. */
export interface Keyset {
  /** Text of the sort column, to be selected as `position`. */
  position: RawBuilder<string>
  /** Condition: behind the page before. */
  isNext: RawBuilder<boolean>
  orderBy: RawBuilder<unknown>
  /** One more than the page holds: whether there is a next one. */
  limit: number
}

export interface PageQuery extends ListOrder {
  cursor?: string | undefined
  limit: number
}

/**
 * Reads one page of a list. `filters` name the list: a cursor of another one is refused with 400, before the page
 * is asked for.
 */
export async function readPage<Row extends { id: string }>(
  db: Kysely<FilesDb>,
  { sortBy, order, cursor, limit }: PageQuery,
  filters: Record<string, unknown>,
  select: (keyset: Keyset) => RawBuilder<Row & { position: string }>,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  const list = { ...filters, sortBy, order }
  const after = cursor === undefined ? null : decodeCursor(list, cursor)
  const { rows } = await select(keysetOf(list, after, limit)).execute(db)
  const page = rows.slice(0, limit)
  const last = rows.length > limit ? page.at(-1) : undefined
  return { rows: page, nextCursor: last ? encodeCursor(list, { value: last.position, id: last.id }) : null }
}

function keysetOf({ sortBy, order }: ListOrder, after: ListPosition | null, limit: number): Keyset {
  const isByName = sortBy === 'name'
  // The order of the indexes: bytes, whatever the database's collation.
  const column = isByName ? sql`name collate "C"` : sql`created_at`
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  const compare = order === 'asc' ? sql`>` : sql`<`
  const value = after && (isByName ? sql`${after.value}::text` : sql`${after.value}::timestamptz`)
  return {
    position: isByName ? sql`name` : sql`to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`,
    isNext: after === null ? sql`true` : sql`(${column}, id) ${compare} (${value}, ${after.id}::uuid)`,
    orderBy: sql`${column} ${direction}, id ${direction}`,
    limit: limit + 1,
  }
}
