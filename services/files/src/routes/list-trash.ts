import { listTrash } from '@tideport/contracts/http/trash'
import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { serve } from '@tideport/service-kit/route'
import { type Kysely, sql } from 'kysely'
import { readPage } from '../list-page.ts'
import { trashedFiles } from '../select-files.ts'
import { toTrashedFile } from '../views.ts'

/** `GET /api/trash`. */
export function listTrashRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(listTrash, async ({ principal: { accountId }, query }) => {
    const select = trashedFiles(accountId)
    const { rows, nextCursor } = await readPage(db, query, { list: 'trash' }, (keyset) => select(sql`true`, keyset))
    return { files: rows.map(toTrashedFile), nextCursor }
  })
}
