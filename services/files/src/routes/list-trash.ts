import { listTrash } from '@tideport/contracts/public/trash'
import { serve } from '@tideport/service-kit/http/route'
import type { TrashedRow } from '../files/find-trash.ts'
import { type ShowDeps, showFiles } from '../files/show-files.ts'
import { toTrashedFile } from '../files/views.ts'
import { trashedFiles } from '../lists/file-lists.ts'
import { readFiles } from '../lists/read-files.ts'

/** `GET /api/trash`. */
export function listTrashRoute(shown: ShowDeps) {
  const { db } = shown
  return serve(listTrash, async ({ principal: { accountId }, query: page, charge }) => {
    const list = await trashedFiles(db, accountId, { sortBy: page.sortBy })
    const { rows, nextCursor } = await readFiles<TrashedRow>(db, { page, filters: { list: 'trash' }, list, charge })
    return { files: await showFiles(shown, rows, toTrashedFile), nextCursor }
  })
}
