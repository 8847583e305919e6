import { listFiles } from '@tideport/contracts/http/files'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/tables'
import { serve } from '@tideport/service-kit/route'
import { type Kysely, sql } from 'kysely'
import { matchesFilters } from '../file-filters.ts'
import { readPage } from '../list-page.ts'
import { searchPage } from '../search-names.ts'
import { liveFiles, type SelectFiles, trashedFiles } from '../select-files.ts'
import { toFile, toTrashedFile } from '../views.ts'

/** `GET /api/files`. */
export function listFilesRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(listFiles, async ({ principal: { accountId }, query }) => {
    const { cursor, limit, sortBy, order, trashed = false, q, ...filters } = query
    const status = filters.status && [...new Set(filters.status)].toSorted()
    const page = { cursor, limit, sortBy, order }
    const list = { list: 'files', ...filters, status, q, trashed }
    const isWanted = matchesFilters({ ...filters, status })
    const isOnly = !trashed && Object.values(filters).every((filter) => filter === undefined)
    const read = <Row extends FileRow>(files: SelectFiles<Row>) => {
      if (q === undefined) return readPage(db, page, list, (keyset) => files(isWanted, keyset))
      const select: SelectFiles<Row> = (isNamed, keyset) => files(sql`${isWanted} and ${isNamed}`, keyset)
      return searchPage(db, page, list, select, { accountId, text: q, isOnly })
    }
    if (trashed) {
      const { rows, nextCursor } = await read(trashedFiles(accountId))
      return { files: rows.map(toTrashedFile), nextCursor }
    }
    const { rows, nextCursor } = await read(await liveFiles(db, accountId))
    return { files: rows.map(toFile), nextCursor }
  })
}
