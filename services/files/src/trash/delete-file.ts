import { deleteFile } from '@tideport/contracts/public/trash'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import { abortLostUpload, abortUpload, purgeConfirmed } from '@tideport/file-lifecycle/removal/purge'
import { type OwnFile, trashFile } from '@tideport/file-lifecycle/removal/trash'
import { hasRevisionOf } from '@tideport/file-lifecycle/state/revision'
import type { FileRow } from '@tideport/file-lifecycle/state/tables'
import { type ShowDeps, showFile } from '@tideport/file-lifecycle/views/file-views'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { serve } from '@tideport/service-kit/http/route'
import { AppError, notFound } from '@tideport/service-kit/process/app-error'
import { type RawBuilder, sql } from 'kysely'
import type { FilesConfig } from '../config.ts'
import { assertUnchanged } from '../files/conditions.ts'
import type { PurgeNow } from '../files/purge-now.ts'
import { toDeletedFile } from '../files/trash-views.ts'
import { findKeptFile } from '../lookups/find-file.ts'

interface Deps extends ShowDeps {
  hotTier: HotTier
  purgeNow: PurgeNow
  relay: Pick<Relay, 'wake'>
  config: Pick<FilesConfig, 'confirmLostSeconds' | 'settleSeconds' | 'trashRetentionSeconds'>
}

/**
 * `DELETE /api/files/:fileId`: moves a file to the trash, deletes it permanently, or aborts an upload. Returns 404 for
 * a file that is being purged.
 */
export function deleteFileRoute(deps: Deps) {
  return serve(deleteFile, async ({ principal: { accountId }, params: { fileId }, headers, query }) => {
    const file = { accountId, fileId, ifMatch: headers['if-match'] }
    const deleted = await (query.permanent ? purge(deps, file) : moveToTrash(deps, file))
    deps.relay.wake()
    if (deleted.purgingAt !== null) deps.purgeNow(deleted.id)
    return await showFile(deps, deleted, (row, copies) => toDeletedFile(row, copies, deps.networks))
  })
}

interface Asked extends OwnFile {
  ifMatch?: string | undefined
}

/** Condition on `file`: clients have not changed it since it met the condition of the request. Throws 412 and 404. */
async function guardOf({ db }: Pick<Deps, 'db'>, { accountId, fileId, ifMatch }: Asked): Promise<RawBuilder<unknown>> {
  if (ifMatch === undefined) return sql`true`
  const kept = await findKeptFile(db, accountId, fileId)
  if (kept === null) throw notFound()
  assertUnchanged(kept.file, ifMatch)
  return hasRevisionOf(kept.file)
}

async function purge(deps: Deps, file: Asked): Promise<FileRow> {
  const guard = await guardOf(deps, file)
  const purged = await purgeConfirmed(deps.db, file, { ...deps.config, networks: deps.networks }, guard)
  return purged ?? (await abortOwnUpload(deps, file))
}

async function moveToTrash(deps: Deps, file: Asked): Promise<FileRow> {
  const { db, networks, config } = deps
  const where = await guardOf(deps, file)
  const trashed = await trashFile(db, file, { networks, retentionSeconds: config.trashRetentionSeconds, where })
  if (trashed) return trashed
  const kept = await findKeptFile(db, file.accountId, file.fileId)
  if (kept === null) throw notFound()
  if (kept.file.status === 'uploading') return await abortOwnUpload(deps, file)
  assertUnchanged(kept.file, file.ifMatch)
  return kept.file.deletedAt === null ? await moveToTrash(deps, file) : kept.file
}

type AbortDeps = Pick<Deps, 'db' | 'hotTier' | 'networks' | 'config'>

/** An upload never moves to the trash. While the store completes an upload, the caller has to wait. Throws 404. */
export async function abortOwnUpload(deps: AbortDeps, file: Asked): Promise<FileRow> {
  const guard = await guardOf(deps, file)
  const aborted =
    (await abortUpload(deps.db, file, { ...deps.config, networks: deps.networks }, guard)) ??
    (await abortIfLost(deps, file))
  if (aborted) return aborted
  throw new AppError('upload_in_progress', 'The object storage is completing this upload. Try again later.')
}

/** Aborts an upload that the store lost while completing it. Null: it may still complete. Throws 404 for other files. */
async function abortIfLost({ db, hotTier, networks, config }: AbortDeps, file: OwnFile): Promise<FileRow | null> {
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
