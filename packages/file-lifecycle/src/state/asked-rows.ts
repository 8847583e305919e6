import type { Give } from '@tideport/service-kit/postgres/prepared'
import { type RawBuilder, sql } from 'kysely'
import type { Held } from './writes.ts'

/**
 * Parts of statements for many rows at once, which they name in `asked`. Each row is looked up by its key: a plain join
 * leaves Postgres to walk along all files of a status instead, which looks short while its statistics are old.
 */

/**
 * The rows of `asked`, of arrays of equal length by column, each with the type of its items. To the planner they are one
 * row, for it neither sees the arrays nor the limit: of more it thinks that reading all of a young table is quicker, and
 * lists that it sees it plans anew each time, when they are short.
 */
export function askedRows(columns: Columns<readonly unknown[]>): RawBuilder<unknown> {
  const [[, items] = ['', []]] = Object.values(columns)
  return rowsOf(Object.entries(columns), items.length)
}

/** By its name: the type of a column's items, and the items. */
type Columns<Items> = Record<string, readonly [type: string, items: Items]>

/** The columns of `asked`, by what each has of an item. */
export type AskedColumns<Item> = Columns<(item: Item) => unknown>

/** The same of the items that a prepared statement is executed with. */
export function givenRows<Item>(given: Give<readonly Item[]>, columns: AskedColumns<Item>): RawBuilder<unknown> {
  const all = Object.entries(columns).map(
    ([name, [type, of]]): Column => [name, [type, given((items) => items.map(of))]],
  )
  return rowsOf(
    all,
    given((items) => items.length),
  )
}

type Column = [name: string, column: readonly [type: string, items: unknown]]

function rowsOf(columns: Column[], count: unknown): RawBuilder<unknown> {
  const arrays = columns.map(([, [type, items]]) => sql`(select ${items}::${sql.raw(type)}[])`)
  return sql`select * from unnest(${sql.join(arrays)}) as asked (${sql.raw(columns.map(([name]) => name).join(', '))})
    limit (select ${count}::bigint)`
}

/** How a statement treats rows (of one table, when named) that others hold: it leaves them out, or waits. */
export function holding({ unlessHeld, of }: Held & { of?: string }): RawBuilder<unknown> {
  return sql`for no key update${of ? sql` of ${sql.ref(of)}` : sql``}${unlessHeld ? sql` skip locked` : sql``}`
}
