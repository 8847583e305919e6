import { listTrash } from '@tideport/contracts/public/trash'
import { serve } from '@tideport/service-kit/http/route'
import type { TrashedRow } from '../files/find-trash.ts'
import { type ShowDeps, showFiles } from '../files/show-files.ts'
import { toTrashedFile } from '../files/trash-views.ts'
import { trashedFiles } from '../lists/file-lists.ts'
import { readFiles } from '../lists/read-files.ts'
import { vaultsOf } from '../vaults/confine.ts'
import { prefixesOf } from '../vaults/confine-paths.ts'

/** `GET /api/trash`. */
export function listTrashRoute(shown: ShowDeps) {
  const { db } = shown
  return serve(listTrash, async ({ principal, query: page, charge }) => {
    const seen = { within: vaultsOf(principal), prefixes: prefixesOf(principal) }
    const list = await trashedFiles(db, principal.accountId, { sortBy: page.sortBy, ...seen })
    const { rows, nextCursor } = await readFiles<TrashedRow>(db, { page, filters: { list: 'trash' }, list, charge })
    return { files: await showFiles(shown, rows, toTrashedFile), nextCursor }
  })
}
