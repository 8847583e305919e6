import type { Give } from '@tideport/service-kit/postgres/prepared'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { FileRow, FilesDb } from './tables.ts'
import type { Held } from './writes.ts'

/** The current row, for any account. */
export async function reloadFile(db: Kysely<FilesDb>, fileId: string): Promise<FileRow | null> {
  return (await db.selectFrom('file').selectAll().where('id', '=', fileId).executeTakeFirst()) ?? null
}

export async function isFileLive(db: Kysely<FilesDb>, fileId: string): Promise<boolean> {
  return (await sql`select from file where id = ${fileId} and ${isLive}`.execute(db)).rows.length > 0
}

/** Repeats a guarded write on the current row. Null: `mayStill` denies it, or the same version is refused again. */
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

const TAKINGS_MAX = 100

/**
 * The same for a write that takes a path (`takingPaths`). Null: `mayStill` denies it, or other writes repeatedly came
 * first.
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
 * Neither the file nor its vault is in the trash. Looks up the vault for each row: for a join Postgres would expect few
 * rows while there are few vaults, and sort all files for a page.
 */
export const isLive = sql`purging_at is null and deleted_at is null
  and (select vault.deleted_at is null from vault where vault.id = file.vault_id)`

/**
 * Statements for many rows list them in `asked` and look up each one by its key. For a plain join, Postgres scans all
 * files of a status while its statistics are old.
 */

/**
 * The rows of `asked`, from arrays of equal length. The planner sees one row, because it would plan a scan for many,
 * and plan short lists again each time.
 */
export function askedRows(columns: Columns<readonly unknown[]>): RawBuilder<unknown> {
  const [[, items] = ['', []]] = Object.values(columns)
  return rowsOf(Object.entries(columns), items.length)
}

/** By name: the SQL type of a column's items, and the items. */
type Columns<Items> = Record<string, readonly [type: string, items: Items]>

export type AskedColumns<Item> = Columns<(item: Item) => unknown>

/** The same for a prepared statement. */
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

/** Skips rows that are locked, or waits for them. */
export function holding({ unlessHeld, of }: Held & { of?: string }): RawBuilder<unknown> {
  return sql`for no key update${of ? sql` of ${sql.ref(of)}` : sql``}${unlessHeld ? sql` skip locked` : sql``}`
}

/**
 * Part of a FROM clause: the commit does not wait for the disk. A crash of Postgres may undo it, unless a later commit
 * has waited (ADR 0037).
 */
export function unawaited(when: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`(select set_config('synchronous_commit',
    case when ${when} then 'off' else current_setting('synchronous_commit') end, true)) as unawaited`
}

/** As a range of the index of paths. */
export function isBelow(prefix: string): RawBuilder<unknown> {
  const end = endOf(prefix)
  return end === null ? sql`path >= ${prefix}` : sql`path >= ${prefix} and path < ${end}`
}

/** The first text after all texts with this prefix, in byte order. */
export function endOf(prefix: string): string | null {
  const points = [...prefix]
  for (let last = points.pop(); last !== undefined; last = points.pop()) {
    const next = (last.codePointAt(0) ?? 0) + 1
    // Surrogates are not characters.
    if (next <= 0x10ffff) return points.join('') + String.fromCodePoint(next === 0xd800 ? 0xe000 : next)
  }
  return null
}
