import { PATH_BYTES_MAX } from '@tideport/contracts/public/paths'
import { endOf, isBelow } from '@tideport/file-lifecycle/state/queries'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import { placeInPath } from '@tideport/file-lifecycle/state/take-path'
import type { NamedList } from '@tideport/service-kit/http/list-cursor'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { isIn, type SeenVault } from '../lookups/authorized-vault.ts'
import { ROWS_MAX } from './bounded-scan.ts'
import { behind, comparePaths, findKeptFolders } from './kept-folders.ts'
import { cursorsOf, type PageQuery } from './list-page.ts'
import { costs } from './read-files.ts'

interface ReadFolders {
  page: Pick<PageQuery, 'cursor' | 'limit' | 'order'>
  named: NamedList
  vault: SeenVault
  prefix?: string | undefined
  /** Path prefixes that the caller may access, each at or below `prefix`. Default: `prefix`. */
  below?: readonly string[] | undefined
  /** Condition on `file`: the files of the list. A folder exists in the list if it contains one of them. */
  isWanted: RawBuilder<unknown>
  /** Condition on `kept_folder`: the empty folders that are listed. Default: none. */
  isKeptSeen?: RawBuilder<unknown>
  charge: (requests: number) => void
}

interface FolderPage {
  rows: FileRow[]
  folders: { path: string }[]
  nextCursor: string | null
}

const FIRST = '00000000-0000-0000-0000-000000000000'
/** Sorts after all paths, because it is longer than any path. */
const LAST = String.fromCodePoint(0x10ffff).repeat(PATH_BYTES_MAX)

/** A lookup and its result: a listed file, a listed folder, or neither. */
type Step = FileRow & { step: number; atPath: string; atTie: string; told: string | null; isShown: boolean }

/**
 * Each step is one index lookup: the next file, or the first path after a folder (ADR 0008). Stops after `ROWS_MAX`
 * steps.
 */
export async function readFolders(db: Kysely<FilesDb>, asked: ReadFolders): Promise<FolderPage> {
  const { page, named, charge } = asked
  const order = { sortBy: 'path', order: page.order } as const
  const cursors = await cursorsOf(db, order, { ...named, delimiter: '/' })
  const after = cursors.decode(page.cursor)
  if (asked.below?.length === 0) return { rows: [], folders: [], nextCursor: null }
  const { rows: steps } = await walkFolders(asked, {
    path: after?.value ?? beginningOf(asked),
    tie: after?.id ?? FIRST,
  }).execute(db)
  const shown = steps.filter(({ isShown }) => isShown)
  const isFull = shown.length > page.limit
  const isCut = !isFull && (steps.at(-1)?.step ?? 0) >= ROWS_MAX
  if (isCut) charge(costs.cut)
  const found = shown.map((row): Entry => ({ ...row, folder: row.told, row }))
  const kept = await keptWithin(db, asked, after?.value, isFull || isCut ? steps.at(-1)?.atPath : undefined)
  const told = new Set(found.map(({ folder }) => folder))
  const all = [...found, ...kept.filter(({ folder }) => !told.has(folder))].toSorted(
    page.order === 'asc' ? inOrder : (a, b) => inOrder(b, a),
  )
  const entries = all.slice(0, page.limit)
  const last = all.length > page.limit ? entries.at(-1) : isCut ? steps.at(-1) : undefined
  return {
    rows: entries.flatMap(({ folder, row }) => (folder === null && row !== null ? [row] : [])),
    folders: entries.flatMap(({ folder }) => (folder === null ? [] : [{ path: folder }])),
    nextCursor: last
      ? cursors.encode({ value: last.atPath, id: last.atTie, isCut: isCut && all.length <= page.limit })
      : null,
  }
}

interface Entry {
  folder: string | null
  row: FileRow | null
  atPath: string
  atTie: string
}

/** Files at one path keep the order in which they were read. */
function inOrder(a: Entry, b: Entry): number {
  return comparePaths(a.folder ?? a.row?.path ?? '', b.folder ?? b.row?.path ?? '')
}

function beginningOf({ page: { order }, prefix = '' }: ReadFolders): string {
  return order === 'asc' ? prefix : (endOf(prefix) ?? LAST)
}

/** Kept folders between the beginning of the page and the place where the walk stopped. */
async function keptWithin(
  db: Kysely<FilesDb>,
  { page: { order }, vault, prefix = '', isKeptSeen }: ReadFolders,
  after?: string,
  end?: string,
): Promise<Entry[]> {
  if (isKeptSeen === undefined) return []
  const folders = await findKeptFolders(db, { vault, prefix, isSeen: isKeptSeen })
  const compare = (a: string, b: string) => (order === 'asc' ? comparePaths(a, b) : comparePaths(b, a))
  return folders
    .map((folder) => ({ folder, row: null, atPath: order === 'asc' ? behind(folder) : folder, atTie: FIRST }))
    .filter(({ atPath }) => after === undefined || compare(atPath, after) > 0)
    .filter(({ atPath }) => end === undefined || compare(atPath, end) <= 0)
}

function walkFolders(
  { page: { limit, order }, vault, prefix = '', below = [prefix], isWanted }: ReadFolders,
  after: { path: string; tie: string },
): RawBuilder<Step> {
  const length = [...prefix].length
  const isKept = sql`${isIn(vault)} and deleted_at is null and purging_at is null`
  const direction = order === 'asc' ? sql`asc` : sql`desc`
  const isNext = order === 'asc' ? sql`>` : sql`<`
  // Skips a listed folder completely: `0` follows `/`, and all paths in the folder sort before it.
  const passed = order === 'asc' ? sql`left(next.path, depth - 1) || '0'` : sql`left(next.path, depth)`
  const inOrder = sql`path ${direction}, tie ${direction} limit 1`
  const first = below.map(
    (start) => sql`(
        select id, path, ${placeInPath} as tie, (${isWanted}) as is_wanted,
          case strpos(substr(path, ${length} + 1), '/') when 0 then 0
            else ${length} + strpos(substr(path, ${length} + 1), '/') end as depth
        from file where ${isKept} and ${isBelow(start)} and (path, ${placeInPath}) ${isNext} (walk.at_path, walk.at_tie)
        order by path ${direction}, ${placeInPath} ${direction} limit 1)`,
  )
  const next =
    first.length === 1
      ? sql`${first[0]}`
      : sql`(select * from (${sql.join(first, sql` union all `)}) as first order by ${inOrder})`
  return sql<Step>`
    with recursive walk as (
      select 0 as step, 0 as shown, false as is_shown, ${after.path}::text collate "C" as at_path, ${after.tie}::uuid as at_tie,
        null::text collate "C" as told, null::uuid as file_id
      union all
      select step + 1, shown + next.is_wanted::integer, next.is_wanted,
        case when next.is_wanted and depth > 0 then ${passed} else next.path end collate "C",
        case when next.is_wanted and depth > 0 then ${FIRST}::uuid else next.tie end,
        case when depth > 0 then left(next.path, depth) end collate "C", next.id
      from walk cross join lateral ${next} as next
      where step < ${sql.lit(ROWS_MAX)} and shown <= ${limit}
    )
    select step, at_path, at_tie, told, is_shown, file.*
    from walk left join file on file.id = file_id and is_shown and told is null
    where step > 0 and (is_shown or step = ${sql.lit(ROWS_MAX)}) order by step`
}
