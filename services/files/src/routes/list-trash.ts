import { listTrash } from '@tideport/contracts/public/trash'
import { serve } from '@tideport/service-kit/http/route'
import { sightOf } from '../calls/confine.ts'
import { type ShowDeps, showFiles } from '../files/show-files.ts'
import { toTrashedFile } from '../files/trash-views.ts'
import { trashedFiles } from '../lists/file-lists.ts'
import { readFiles } from '../lists/read-files.ts'
import type { TrashedRow } from '../lookups/find-kept-file.ts'

/** `GET /api/trash`. */
export function listTrashRoute(shown: ShowDeps) {
  const { db } = shown
  return serve(listTrash, async ({ principal, query: page, charge }) => {
    const list = await trashedFiles(db, { sight: sightOf(principal), filters: { sortBy: page.sortBy } })
    const named = { reader: principal.accountId, list: 'trash' }
    const { rows, nextCursor } = await readFiles<TrashedRow>(db, { page, named, list, charge })
    return { files: await showFiles(shown, rows, toTrashedFile), nextCursor }
  })
}
