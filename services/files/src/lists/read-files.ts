import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { NamedList } from '@tideport/service-kit/http/list-cursor'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { ROWS_MAX, scanFiles } from './bounded-scan.ts'
import type { FileList } from './file-lists.ts'
import { type Keyset, type ListedRow, openPage, type Page, type PageQuery } from './list-page.ts'
import { canFindNames, findLabelled, findNames, isNamed } from './search.ts'

/** Of looking through rows without filling a page, and of asking the index of names, in vain or not; in requests. */
export const costs = { cut: 5, names: 5, gaveUp: 50 }

interface ReadFiles {
  page: PageQuery
  named: NamedList
  list: FileList
  q?: string | undefined
  charge: (requests: number) => void
}

/** A walk that is cut asks an index whether few files remain. If not, the page has what the walk found (ADR 0007). */
export async function readFiles<Row>(
  db: Kysely<FilesDb>,
  { page, named, list, q, charge }: ReadFiles,
): Promise<Page<Row>> {
  const open = await openPage(db, page, named)
  const isWanted = q === undefined ? list.isWanted : sql`${list.isWanted} and ${isNamed(q)}`
  const walk = { ...list, isWanted }
  if (list.isConfined) {
    // A walk passes rows that the caller may not see, and where it is cut tells how many there are.
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

/** Ids of files that all of a list are among; null when none of its conditions leaves few. */
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
