import { listFiles } from '@tideport/contracts/http/files'
import { isLive } from '@tideport/file-lifecycle/claim'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/tables'
import { serve } from '@tideport/service-kit/route'
import { type Kysely, sql } from 'kysely'
import { validate as isUuid } from 'uuid'
import { readPage } from '../list-page.ts'
import { toFile } from '../views.ts'

/** `GET /api/files`. A vault that is unknown or somebody else's holds no files of this account. */
export function listFilesRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(listFiles, async ({ principal: { accountId }, query: { vaultId, status, ...page } }) => {
    const statuses = status && [...new Set(status)].toSorted()
    const inVault = vaultId === undefined ? sql`true` : isUuid(vaultId) ? sql`vault_id = ${vaultId}` : sql`false`
    const inStatus = statuses ? sql`status = any(${statuses})` : sql`true`
    const { rows, nextCursor } = await readPage<FileRow>(
      db,
      page,
      { list: 'files', vaultId, statuses },
      ({ position, isNext, orderBy, limit }) => sql`
        select *, ${position} as position from file
        where account_id = ${accountId} and ${isLive} and ${inVault} and ${inStatus} and ${isNext}
        order by ${orderBy} limit ${limit}`,
    )
    return { files: rows.map(toFile), nextCursor }
  })
}
