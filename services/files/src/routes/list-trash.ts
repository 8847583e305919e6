import { listTrash } from '@tideport/contracts/public/trash'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import type { Kysely } from 'kysely'
import type { TrashedRow } from '../files/find-trash.ts'
import { toTrashedFile } from '../files/views.ts'
import { trashedFiles } from '../lists/file-lists.ts'
import { readFiles } from '../lists/read-files.ts'

/** `GET /api/trash`. */
export function listTrashRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(listTrash, async ({ principal: { accountId }, query: page, charge }) => {
    const list = await trashedFiles(db, accountId, { sortBy: page.sortBy })
    const { rows, nextCursor } = await readFiles<TrashedRow>(db, { page, filters: { list: 'trash' }, list, charge })
    return { files: rows.map(toTrashedFile), nextCursor }
  })
}
