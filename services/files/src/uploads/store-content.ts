import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { abortUpload } from '@tideport/file-lifecycle/removal/purge'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Writes } from '@tideport/file-lifecycle/state/writes'
import { type Completion, storeAndConfirm } from '@tideport/file-lifecycle/upload/confirm'
import type { HotTier } from '@tideport/hot-tier/hot-tier'
import { notFound, unavailable } from '@tideport/service-kit/process/app-error'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Kysely } from 'kysely'
import { refusedAtPath } from '../files/file-fields.ts'
import type { PurgeNow } from '../files/purge-now.ts'
import type { Content } from './read-body.ts'

export interface StoreContentDeps {
  db: Kysely<FilesDb>
  hotTier: HotTier
  networks: Networks
  writes: Writes
  purgeNow: PurgeNow
  log: Log
  config: { settleSeconds: number; trashRetentionSeconds: number }
}

interface StoredContent {
  file: FileRow
  /** False: a repeated request made the file hot. */
  didTransition: boolean
}

/**
 * Stores the object of a new file and makes the file hot, with one call and one statement. A crash leaves a row in
 * `uploading` that expires in minutes; with `mayComeAgain` the same request can continue. Throws 503 when the store
 * fails, 409 when the path is taken, and 404 for a trashed file.
 */
export async function storeContent(
  deps: StoreContentDeps,
  upload: FileRow,
  content: Content,
  { mayComeAgain }: { mayComeAgain: boolean },
): Promise<StoredContent> {
  try {
    return confirmedBy(await storeAndConfirm({ ...deps, ...deps.config }, upload, content))
  } catch (error) {
    if (!mayComeAgain) await giveUp(deps, upload)
    throw error
  }
}

/** Throws 503, 409, 412, and 404 for an upload that was not confirmed. */
export function confirmedBy(completion: Completion): StoredContent {
  if ('occupantId' in completion) throw refusedAtPath(completion)
  if (completion.outcome === 'in_progress')
    throw unavailable('Too many requests are writing to this path. Try again later.')
  if (completion.outcome !== 'confirmed') throw notFound()
  return completion
}

/** Best effort: an upload that is not aborted expires. */
export async function giveUp(
  { db, networks, purgeNow, log, config }: Omit<StoreContentDeps, 'hotTier' | 'writes'>,
  upload: FileRow,
): Promise<void> {
  const { id: fileId, accountId } = upload
  try {
    const aborted = await abortUpload(db, { fileId, accountId }, { ...config, networks })
    if (aborted) purgeNow(fileId)
  } catch (error) {
    log.warn({ err: error, fileId }, 'could not abort the upload; a periodic task aborts it')
  }
}
