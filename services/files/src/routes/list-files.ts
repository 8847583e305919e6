import { listFiles } from '@tideport/contracts/http/files'
import { isLive } from '@tideport/file-lifecycle/claim'
import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { serve } from '@tideport/service-kit/route'
import { type Kysely, sql } from 'kysely'
import { matchesFilters } from '../file-filters.ts'
import { type TrashedRow, trashOf } from '../find-trash.ts'
import { readPage } from '../list-page.ts'
import { nameContains } from '../search-names.ts'
import { toFile, toTrashedFile } from '../views.ts'

/** `GET /api/files`. */
export function listFilesRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(listFiles, async ({ principal: { accountId }, query }) => {
    const { cursor, limit, sortBy, order, trashed = false, q, status, ...filters } = query
    const statuses = status && [...new Set(status)].toSorted()
    const isNamed = q === undefined ? sql`true` : await nameContains(db, accountId, q)
    const isWanted = sql`${trashed ? sql`true` : isLive} and ${matchesFilters({ ...filters, status })} and ${isNamed}`
    const files = trashed ? trashOf(accountId) : sql`file`
    const { rows, nextCursor } = await readPage<TrashedRow>(
      db,
      { cursor, limit, sortBy, order },
      { list: 'files', ...filters, statuses, q, trashed },
      ({ position, isNext, orderBy, limit }) => sql`
        select *, ${position} as position from ${files}
        where account_id = ${accountId} and ${isWanted} and ${isNext}
        order by ${orderBy} limit ${limit}`,
    )
    return { files: rows.map(trashed ? toTrashedFile : toFile), nextCursor }
  })
}
