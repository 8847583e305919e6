import type { FileFailure } from '@tideport/contracts/public/file-failure'
import { createDownloadUrls } from '@tideport/contracts/public/many-files'
import { askedRows, isLive } from '@tideport/file-lifecycle/state/queries'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { type Kysely, sql } from 'kysely'
import { validate as isUuid } from 'uuid'
import type { TakeBytes } from '../calls/key-byte-quota.ts'
import { type DownloadDeps, downloadTarget, hasBytes } from '../downloads/download-target.ts'
import { getLiveVault, isIn, type SeenVault } from '../lookups/authorized-vault.ts'
import type { FileSeen } from '../lookups/find-file.ts'
import { costOf } from './answer-many.ts'

export interface UrlDeps extends DownloadDeps {
  db: Kysely<FilesDb>
  takeBytes: TakeBytes
}

/** `POST /api/vaults/:vaultId/download-urls`. Counts the bytes of all files in the key's budgets, or returns no URL. */
export function createDownloadUrlsRoute({ db, takeBytes, ...deps }: UrlDeps) {
  return serve(createDownloadUrls, async ({ principal, params: { vaultId }, body, charge }) => {
    const { accountId } = principal
    const vault = await getLiveVault(db, accountId, vaultId)
    const ids = [...new Set(body.ids)]
    charge(costOf(ids))
    const files = await findFiles(db, { vault, ids: ids.filter((id) => isUuid(id)) })
    const readable = [...files.values()].filter((file) => failureOf(file) === null)
    await takeBytes(
      principal,
      readable.reduce((bytes, { sizeBytes }) => bytes + sizeBytes, 0),
    )
    const urls = []
    for (const fileId of ids) {
      const file = files.get(fileId)
      const code = failureOf(file)
      const none = { downloadUrl: null, expiresAt: null, source: null }
      const target = file && code === null ? await downloadTarget(deps, file, async () => {}) : none
      urls.push({ fileId, code, ...target })
    }
    return { urls }
  })
}

function failureOf(file: FileSeen | undefined): FileFailure | null {
  if (file === undefined) return 'not_found'
  if (file.status === 'uploading') return 'upload_not_confirmed'
  return hasBytes(file) ? null : 'content_lost'
}

async function findFiles(
  db: Kysely<FilesDb>,
  { vault, ids }: { vault: SeenVault; ids: readonly string[] },
): Promise<Map<string, FileSeen>> {
  if (ids.length === 0) return new Map()
  const { rows } = await sql<FileSeen>`
    select file.*, now() as seen_at from (${askedRows({ asked_id: ['uuid', ids] })}) as asked
      cross join lateral (select * from file where file.id = asked_id limit 1) as file
    where ${isIn(vault)} and ${isLive}`.execute(db)
  return new Map(rows.map((file) => [file.id, file]))
}
