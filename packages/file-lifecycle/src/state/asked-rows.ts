import { type RawBuilder, sql } from 'kysely'

/**
 * Parts of statements for many rows at once, which they name in `asked`. Each row is looked up by its key: a plain join
 * leaves Postgres to walk along all files of a status instead, which looks short while its statistics are old.
 */

/**
 * The rows of `asked`, of arrays of equal length by column, each with the type of its items. To the planner they are one
 * row, for it neither sees the arrays nor the limit: of more it thinks that reading all of a young table is quicker, and
 * lists that it sees it plans anew each time, when they are short.
 */
export function askedRows(columns: Record<string, readonly [type: string, items: readonly unknown[]]>) {
  const arrays = Object.values(columns).map(([type, items]) => sql`(select ${items}::${sql.raw(type)}[])`)
  const [[, items] = ['', []]] = Object.values(columns)
  return sql`select * from unnest(${sql.join(arrays)}) as asked (${sql.raw(Object.keys(columns).join(', '))})
    limit (select ${items.length}::bigint)`
}

/** How a statement treats rows (of one table, when named) that others hold: it leaves them out, or waits. */
export function holding({ unlessHeld, of }: { unlessHeld: boolean; of?: string }): RawBuilder<unknown> {
  return sql`for no key update${of ? sql` of ${sql.ref(of)}` : sql``}${unlessHeld ? sql` skip locked` : sql``}`
}

/** As `file`, those of `asked` (`id`, `version`) that are as they were read; held from here on. */
export function askedFiles(held: { unlessHeld: boolean }): RawBuilder<unknown> {
  return sql`cross join lateral (
    select * from file where file.id = asked.id and file.version = asked.version limit 1 ${holding(held)}
  ) as file`
}

/** As `copy`, those of `asked` (`id`, `fencing_token`) on one network that are still claimed by who asks; held as above. */
export function askedCopies(network: string): RawBuilder<unknown> {
  return sql`cross join lateral (
    select from copy
    where copy.file_id = asked.id and copy.network = ${network} and copy.fencing_token = asked.fencing_token
    limit 1 ${holding({ unlessHeld: true })}
  ) as copy`
}
