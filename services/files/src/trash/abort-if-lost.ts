import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { abortLostUpload } from '@tideport/file-lifecycle/removal/purge'
import type { OwnFile } from '@tideport/file-lifecycle/removal/trash'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { notFound } from '@tideport/service-kit/process/app-error'
import { type Kysely, sql } from 'kysely'
import type { FilesConfig } from '../config.ts'

export interface AbortDeps {
  db: Kysely<FilesDb>
  hotTier: HotTier
  networks: Networks
  config: Pick<FilesConfig, 'confirmLostSeconds' | 'settleSeconds'>
}

/**
 * Aborts an upload whose completion was begun longer ago than a store may take and left neither object nor upload.
 * Null while the store may still be at work on it. Throws 404 when it is no upload, or none of this account.
 */
export async function abortIfLost(
  { db, hotTier, networks, config }: AbortDeps,
  file: OwnFile,
): Promise<FileRow | null> {
  const { rows } = await sql<FileRow & { isOverdue: boolean }>`
    select *, completing_at <= now() - make_interval(secs => ${config.confirmLostSeconds}) as is_overdue from file
    where id = ${file.fileId} and account_id = ${file.accountId} and purging_at is null`.execute(db)
  const upload = rows[0]
  if (upload === undefined) throw notFound()
  if (upload.status !== 'uploading' || !upload.isOverdue || upload.uploadId === null) return null
  const isHeld =
    (await hotTier.head(upload.uploadKey, { sizeBytes: upload.sizeBytes })) !== null ||
    (await hotTier.listParts(upload.uploadKey, upload.uploadId)) !== null
  return isHeld ? null : await abortLostUpload(db, upload, { ...config, networks })
}
