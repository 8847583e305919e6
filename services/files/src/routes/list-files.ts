import { listFiles } from '@tideport/contracts/http/files'
import { isLive } from '@tideport/file-lifecycle/claim'
import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { serve } from '@tideport/service-kit/route'
import { type Kysely, sql } from 'kysely'
import { validate as isUuid } from 'uuid'
import { type TrashedRow, trashOf } from '../find-trash.ts'
import { readPage } from '../list-page.ts'
import { toFile, toTrashedFile } from '../views.ts'

/** `GET /api/files`. A vault that is unknown or somebody else's holds no files of this account. */
export function listFilesRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(
    listFiles,
    async ({ principal: { accountId }, query: { vaultId, status, trashed = false, ...page } }) => {
      const statuses = status && [...new Set(status)].toSorted()
      const inVault = vaultId === undefined ? sql`true` : isUuid(vaultId) ? sql`vault_id = ${vaultId}` : sql`false`
      const inStatus = statuses ? sql`status = any(${statuses})` : sql`true`
      const files = trashed ? trashOf(accountId) : sql`file`
      const { rows, nextCursor } = await readPage<TrashedRow>(
        db,
        page,
        { list: 'files', vaultId, statuses, trashed },
        ({ position, isNext, orderBy, limit }) => sql`
        select *, ${position} as position from ${files}
        where account_id = ${accountId} and ${trashed ? sql`true` : isLive} and ${inVault} and ${inStatus} and ${isNext}
        order by ${orderBy} limit ${limit}`,
      )
      return { files: rows.map(trashed ? toTrashedFile : toFile), nextCursor }
    },
  )
}
