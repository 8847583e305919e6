import type { Give } from '@tideport/service-kit/postgres/prepared'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { FileRow, FilesDb } from './tables.ts'
import type { Held } from './writes.ts'

/** The row as it is now, whoever owns it. For processes that decide anew after a guard failed. */
export async function reloadFile(db: Kysely<FilesDb>, fileId: string): Promise<FileRow | null> {
  return (await db.selectFrom('file').selectAll().where('id', '=', fileId).executeTakeFirst()) ?? null
}

/** Whether neither the file nor its vault was thrown away. */
export async function isFileLive(db: Kysely<FilesDb>, fileId: string): Promise<boolean> {
  return (await sql`select from file where id = ${fileId} and ${isLive}`.execute(db)).rows.length > 0
}

/**
 * Repeats a guarded write on the row as it is now, until it holds. Null: `mayStill` says that there is nothing left to
 * write, or the same version is refused again, such as when its vault was thrown away.
 */
export async function untilGuarded<Written>(
  db: Kysely<FilesDb>,
  file: FileRow,
  write: (current: FileRow) => Promise<Written | null>,
  mayStill: (current: FileRow) => boolean,
): Promise<Written | null> {
  for (let current = file; ; ) {
    const written = await write(current)
    if (written) return written
    const again = await reloadFile(db, file.id)
    if (again === null || again.version === current.version || !mayStill(again)) return null
    current = again
  }
}

/** So often others may be quicker at a path; then it is given up, for now. */
const TAKINGS_MAX = 100

/**
 * The same for a write that takes a path (`takingPaths`), which may be overtaken there though its row does not change.
 * Null: `mayStill` says that it is over, or others were quicker again and again.
 */
export async function untilTaken<Written>(
  db: Kysely<FilesDb>,
  file: FileRow,
  write: (current: FileRow) => Promise<Written | null>,
  mayStill: (current: FileRow) => Promise<boolean>,
): Promise<Written | null> {
  let current = file
  for (let taking = 0; taking < TAKINGS_MAX; taking += 1) {
    const written = await write(current)
    if (written) return written
    const again = await reloadFile(db, file.id)
    if (again === null || !(await mayStill(again))) return null
    current = again
  }
  return null
}

/**
 * A file that nobody threw away, neither itself nor its vault. The vault is looked up for each row: as `not exists` it
 * would be a join, of which Postgres thinks that hardly a row is left while vaults are few, and it would read and sort
 * all files for one page of them.
 */
export const isLive = sql`purging_at is null and deleted_at is null
  and (select vault.deleted_at is null from vault where vault.id = file.vault_id)`

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

/** As a range of the index of paths. */
export function isBelow(prefix: string): RawBuilder<unknown> {
  const end = endOf(prefix)
  return end === null ? sql`path >= ${prefix}` : sql`path >= ${prefix} and path < ${end}`
}

/** The first text that is behind all that begin with this one, by bytes, which are in the order of code points. */
export function endOf(prefix: string): string | null {
  const points = [...prefix]
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const next = (last.codePointAt(0) ?? 0) + 1
    // There are no characters between these.
    if (next <= 0x10ffff) return points.join('') + String.fromCodePoint(next === 0xd800 ? 0xe000 : next)
  }
  return null
}
