import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { NamedList } from '@tideport/service-kit/http/list-cursor'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { ROWS_MAX, scanFiles } from './bounded-scan.ts'
import type { FileList } from './file-lists.ts'
import { type Keyset, type ListedRow, openPage, type Page, type PageQuery } from './list-page.ts'
import { canFindNames, findLabelled, findNames, isNamed } from './search.ts'

/** Costs in requests: reading rows without filling a page, and searching the name index with or without success. */
export const costs = { cut: 5, names: 5, gaveUp: 50 }

interface ReadFiles {
  page: PageQuery
  named: NamedList
  list: FileList
  q?: string | undefined
  charge: (requests: number) => void
}

/**
 * If a walk is cut, checks in an index whether few files match. If not, returns the rows that the walk found (ADR
 * 0007).
 */
export async function readFiles<Row>(
  db: Kysely<FilesDb>,
  { page, named, list, q, charge }: ReadFiles,
): Promise<Page<Row>> {
  const open = await openPage(db, page, named)
  const isWanted = q === undefined ? list.isWanted : sql`${list.isWanted} and ${isNamed(q)}`
  const walk = { ...list, isWanted }
  if (list.isConfined) {
    // A walk also reads rows that the caller may not see, and the cut would reveal their number.
    const ids = await findFew(db, { list: { ...list, labels: [] }, q: undefined, charge })
    if (ids !== null) return open.close((await selectAmong<Row>(ids, walk, open.keyset).execute(db)).rows)
  }
  const { rows } = await scanFiles<Row>(walk, open.keyset).execute(db)
  const walked = open.close(rows)
  if (!walked.isCut) return walked
  charge(costs.cut)
  const left = list.isConfined ? { ...list, narrow: [] } : list
  const ids = open.isCut ? null : await findFew(db, { list: left, q, charge })
  if (ids === null) return walked
  const { rows: among } = await selectAmong<Row>(ids, walk, open.keyset).execute(db)
  return open.close(among)
}

/** IDs of files that contain the complete list. Null if none of its conditions leaves few files. */
async function findFew(
  db: Kysely<FilesDb>,
  { list, q, charge }: Pick<ReadFiles, 'list' | 'q' | 'charge'>,
): Promise<string[] | null> {
  for (const condition of list.narrow) {
    const { rows } = await sql<{ id: string }>`
      select id from file where ${condition} limit ${sql.lit(ROWS_MAX + 1)}`.execute(db)
    if (rows.length <= ROWS_MAX) return rows.map(({ id }) => id)
  }
  if (list.labels.length > 0) {
    const labelled = await findLabelled(db, list.accountId, list.labels, ROWS_MAX + 1)
    charge(labelled === null ? costs.gaveUp : costs.names)
    if (labelled !== null && labelled.length <= ROWS_MAX) return labelled
  }
  if (q === undefined || !canFindNames(q)) return null
  const named = await findNames(db, list.accountId, q, ROWS_MAX + 1)
  charge(named === null ? costs.gaveUp : costs.names)
  return named !== null && named.length <= ROWS_MAX ? named : null
}

function selectAmong<Row>(
  ids: string[],
  { isWanted, columns = sql`` }: Pick<FileList, 'isWanted' | 'columns'>,
  { position, tie, isNext, orderBy, limit }: Keyset,
): RawBuilder<ListedRow<Row>> {
  return sql`
    select *, ${position} as position, ${tie} as tie ${columns} from file
    where id = any(${ids}::uuid[]) and ${isWanted} and ${isNext}
    order by ${orderBy} limit ${limit}`
}
