import { listTrash } from '@tideport/contracts/http/trash'
import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { serve } from '@tideport/service-kit/route'
import { type Kysely, sql } from 'kysely'
import { type TrashedRow, trashOf } from '../find-trash.ts'
import { readPage } from '../list-page.ts'
import { toTrashedFile } from '../views.ts'

/** `GET /api/trash`. */
export function listTrashRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(listTrash, async ({ principal: { accountId }, query }) => {
    const { rows, nextCursor } = await readPage<TrashedRow>(
      db,
      query,
      { list: 'trash' },
      ({ position, isNext, orderBy, limit }) => sql`
        select *, ${position} as position from ${trashOf(accountId)}
        where ${isNext} order by ${orderBy} limit ${limit}`,
    )
    return { files: rows.map(toTrashedFile), nextCursor }
  })
}
