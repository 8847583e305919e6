import { type RawBuilder, sql } from 'kysely'
import type { Held } from './writes.ts'

/**
 * Parts of statements for many rows at once, which they name in `asked`. Each row is looked up by its key: a plain join
 * leaves Postgres to walk along all files of a status instead, which looks short while its statistics are old.
 */

export type AskedColumns = Record<string, readonly [type: string, items: readonly unknown[]]>

/**
 * The rows of `asked`, of arrays of equal length by column, each with the type of its items. To the planner they are one
 * row, for it neither sees the arrays nor the limit: of more it thinks that reading all of a young table is quicker, and
 * lists that it sees it plans anew each time, when they are short.
 */
export function askedRows(columns: AskedColumns) {
  const arrays = Object.values(columns).map(([type, items]) => sql`(select ${items}::${sql.raw(type)}[])`)
  const [[, items] = ['', []]] = Object.values(columns)
  return sql`select * from unnest(${sql.join(arrays)}) as asked (${sql.raw(Object.keys(columns).join(', '))})
    limit (select ${items.length}::bigint)`
}

/** How a statement treats rows (of one table, when named) that others hold: it leaves them out, or waits. */
export function holding({ unlessHeld, of }: Held & { of?: string }): RawBuilder<unknown> {
  return sql`for no key update${of ? sql` of ${sql.ref(of)}` : sql``}${unlessHeld ? sql` skip locked` : sql``}`
}
