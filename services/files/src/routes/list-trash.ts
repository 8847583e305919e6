import { listTrash } from '@tideport/contracts/http/trash'
import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { serve } from '@tideport/service-kit/route'
import type { Kysely } from 'kysely'
import { trashedFiles } from '../file-lists.ts'
import type { TrashedRow } from '../find-trash.ts'
import { readFiles } from '../read-files.ts'
import { toTrashedFile } from '../views.ts'

/** `GET /api/trash`. */
export function listTrashRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(listTrash, async ({ principal: { accountId }, query: page, charge }) => {
    const list = await trashedFiles(db, accountId, { sortBy: page.sortBy })
    const { rows, nextCursor } = await readFiles<TrashedRow>(db, { page, filters: { list: 'trash' }, list, charge })
    return { files: rows.map(toTrashedFile), nextCursor }
  })
}
