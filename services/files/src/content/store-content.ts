import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { abortUpload } from '@tideport/file-lifecycle/removal/purge'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Writes } from '@tideport/file-lifecycle/state/writes'
import { confirmSeen } from '@tideport/file-lifecycle/upload/confirm'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { notFound, unavailable } from '@tideport/service-kit/process/app-error'
import { failpoint } from '@tideport/service-kit/process/failpoint'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Kysely } from 'kysely'
import { pathTaken } from '../files/file-place.ts'
import type { PurgeNow } from '../files/purge-now.ts'
import type { Content } from './read-content.ts'

export interface StoreContentDeps {
  db: Kysely<FilesDb>
  hotTier: HotTier
  networks: Networks
  writes: Writes
  purgeNow: PurgeNow
  log: Log
  config: { settleSeconds: number; trashRetentionSeconds: number }
}

export interface StoredContent {
  file: FileRow
  /** Else somebody else did it, of the same request repeated. */
  didTransition: boolean
}

/**
 * Makes the object of a file that was just created, and then the file hot: one call to the store and one statement. A
 * crash anywhere leaves a row in `uploading` whose time is over in minutes; with `mayComeAgain` the same request may go
 * on with it. Throws 503 when the store fails, 409 when the path is taken, 404 when the file was thrown away meanwhile.
 */
export async function storeContent(
  deps: StoreContentDeps,
  upload: FileRow,
  content: Content,
  { mayComeAgain }: { mayComeAgain: boolean },
): Promise<StoredContent> {
  try {
    await failpoint('content.before-put')
    await putContent(deps.hotTier, upload, content)
    await failpoint('content.after-put')
    const completion = await confirmSeen({ ...deps, ...deps.config }, upload)
    if (completion.outcome === 'path_taken') throw pathTaken(completion.occupantId)
    if (completion.outcome === 'in_progress') throw unavailable('Too many write to this path at once')
    if (completion.outcome !== 'confirmed') throw notFound()
    await failpoint('content.after-commit')
    return completion
  } catch (error) {
    if (!mayComeAgain) await giveUp(deps, upload)
    throw error
  }
}

/** What is there under a key that nobody else has is ours: of an attempt before, or of the same request repeated. */
async function putContent(hotTier: HotTier, { uploadKey, mimeType }: FileRow, content: Content): Promise<void> {
  if ((await hotTier.putWhole(uploadKey, mimeType, content)) === 'made') return
  if ((await hotTier.head(uploadKey, { sizeBytes: content.sizeBytes })) !== content.sizeBytes)
    throw unavailable('The object storage did not take the bytes')
}

/** Best effort: what is left of it ends with the time of the upload. */
async function giveUp({ db, networks, purgeNow, log, config }: StoreContentDeps, upload: FileRow): Promise<void> {
  const { id: fileId, accountId } = upload
  try {
    const aborted = await abortUpload(db, { fileId, accountId }, { ...config, networks })
    if (aborted) purgeNow(fileId)
  } catch (error) {
    log.warn({ err: error, fileId }, 'upload not aborted, left to the periodic task')
  }
}
