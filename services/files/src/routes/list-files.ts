import { listFiles } from '@tideport/contracts/http/files'
import { isLive } from '@tideport/file-lifecycle/claim'
import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { serve } from '@tideport/service-kit/route'
import { type Kysely, sql } from 'kysely'
import { matchesFilters } from '../file-filters.ts'
import { type TrashedRow, trashOf } from '../find-trash.ts'
import { readPage } from '../list-page.ts'
import { type SelectFiles, searchPage } from '../search-names.ts'
import { toFile, toTrashedFile } from '../views.ts'

/** `GET /api/files`. */
export function listFilesRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(listFiles, async ({ principal: { accountId }, query }) => {
    const { cursor, limit, sortBy, order, trashed = false, q, ...filters } = query
    const status = filters.status && [...new Set(filters.status)].toSorted()
    const page = { cursor, limit, sortBy, order }
    const list = { list: 'files', ...filters, status, q, trashed }
    const files = trashed ? trashOf(accountId) : sql`file`
    const isWanted = sql`${trashed ? sql`true` : isLive} and ${matchesFilters({ ...filters, status })}`
    const select: SelectFiles<TrashedRow> = (isNamed, { position, isNext, orderBy, limit }) => sql`
      select *, ${position} as position from ${files}
      where account_id = ${accountId} and ${isWanted} and ${isNamed} and ${isNext}
      order by ${orderBy} limit ${limit}`
    const { rows, nextCursor } =
      q === undefined
        ? await readPage(db, page, list, (keyset) => select(sql`true`, keyset))
        : await searchPage(db, page, list, select, { accountId, text: q })
    return { files: rows.map(trashed ? toTrashedFile : toFile), nextCursor }
  })
}
