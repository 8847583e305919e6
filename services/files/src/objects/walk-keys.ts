import { endOf } from '@tideport/file-lifecycle/state/queries'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { placeInPath, standingFor } from '@tideport/file-lifecycle/state/take-path'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { isIn, type OwnVault } from '../lookups/authorized-vault.ts'

/** A range of keys of a vault. */
export interface KeyRange {
  vault: OwnVault
  /** Condition on `file`: the caller may see it. */
  isSeen: RawBuilder<unknown>
  from: Beginning
  /** The first key after the range; null: none. */
  end: string | null
}

/** Where a walk begins: behind a key, or at the first key that does not begin with a listed prefix. */
export interface Beginning {
  key: string
  isIncluded: boolean
}

export type Found = FileRow | { prefix: string }

/** In byte order. `end`: more may follow behind this entry; null: all were read. */
export interface Walked {
  found: Found[]
  end: string | null
}

export const entryOf = (found: Found) => ('prefix' in found ? found.prefix : found.key)

/** Rows that one page may read. Most keys have one row, but files can share a key. */
const ROWS_MAX = 5000

const FIRST = '00000000-0000-0000-0000-000000000000'
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
/** Sorts after all keys, because it is longer than any key. */
const BEHIND_ALL = '\u{10ffff}'.repeat(1024)

/** Condition of the index of keys. Few files of a vault are uploads. */
function isListed({ vault, isSeen, end }: KeyRange, from: { key: RawBuilder<unknown>; tie: RawBuilder<unknown> }) {
  return sql`${isIn(vault)} and deleted_at is null and purging_at is null and status <> 'uploading'
    and key < ${end ?? BEHIND_ALL} and (key, ${placeInPath}) > (${from.key}, ${from.tie}) and ${isSeen}`
}

const tieOf = (from: Beginning) => (from.isIncluded ? FIRST : LAST)

/** Reads the rows in the order of the index. The last row of a key represents it. */
export async function walkKeys(db: Kysely<FilesDb>, range: KeyRange, limit: number): Promise<Walked> {
  const found: FileRow[] = []
  let from = range.from
  for (let read = 0; ; ) {
    const rowsMax = limit - found.length + 2
    const { rows } = await sql<FileRow>`
      select * from file where ${isListed(range, { key: sql`${from.key}::text`, tie: sql`${tieOf(from)}::uuid` })}
      order by key, ${placeInPath} limit ${rowsMax}`.execute(db)
    read += rows.length
    const last = rows.length < rowsMax ? undefined : rows.at(-1)
    found.push(...rows.filter(({ key }, at) => key !== rows[at + 1]?.key && key !== last?.key))
    if (last === undefined) return { found, end: null }
    if (found.length < limit) found.push(...(await standing(db, range, last.key)))
    if (found.length >= limit || read >= ROWS_MAX) return { found, end: found.at(-1)?.key ?? last.key }
    from = { key: last.key, isIncluded: false }
  }
}

/** The rows of a key may continue behind those that were read. */
async function standing(db: Kysely<FilesDb>, { vault, isSeen }: KeyRange, key: string): Promise<FileRow[]> {
  return (await sql<FileRow>`${standingFor(sql`${vault.id}::uuid`, sql`${key}::text`, isSeen)}`.execute(db)).rows
}

/** Each step is one lookup in the index: the next key, or the first key behind a common prefix (ADR 0008). */
export async function walkPrefixes(
  db: Kysely<FilesDb>,
  range: KeyRange,
  { prefix, delimiter, limit }: { prefix: string; delimiter: string; limit: number },
): Promise<Walked> {
  const length = [...prefix].length
  const at = sql`strpos(substr(key, ${length + 1}::integer), ${delimiter}::text)`
  const { from } = range
  const { rows } = await sql<FileRow & { entry: string; isPrefix: boolean }>`
    with recursive walk as (
      select 0 as step, ${from.key}::text collate "C" as at_key, ${tieOf(from)}::uuid as at_tie,
        null::text collate "C" as entry, false as is_prefix
      union all
      select step + 1,
        case when cut > 0 then left(next.key, cut - 1) || ${endOf(delimiter) ?? BEHIND_ALL}::text else next.key end collate "C",
        case when cut > 0 then ${FIRST}::uuid else ${LAST}::uuid end,
        case when cut > 0 then left(next.key, cut - 1) || ${delimiter}::text else next.key end collate "C", cut > 0
      from walk cross join lateral (
        select key, case ${at} when 0 then 0 else ${length}::integer + ${at} end as cut
        from file where ${isListed(range, { key: sql`walk.at_key`, tie: sql`walk.at_tie` })}
        order by key, ${placeInPath} limit 1
      ) as next
      where step <= ${limit}
    )
    select file.*, entry, is_prefix from walk left join lateral (
      ${standingFor(sql`${range.vault.id}::uuid`, sql`walk.entry`, range.isSeen)}
    ) as file on not is_prefix
    where step > 0 order by step`.execute(db)
  const found = rows.map(({ entry, isPrefix, ...row }): Found => (isPrefix ? { prefix: entry } : row))
  const last = found[limit - 1]
  return found.length > limit && last ? { found: found.slice(0, limit), end: entryOf(last) } : { found, end: null }
}
