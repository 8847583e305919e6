import { retryFile } from '@tideport/contracts/http/file-actions'
import type { HotTier } from '@tideport/file-lifecycle/hot-tier'
import { CLAIM_SECONDS } from '@tideport/file-lifecycle/state'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/tables'
import { markRetried } from '@tideport/file-lifecycle/transitions'
import { AppError, notFound } from '@tideport/service-kit/app-error'
import { serve } from '@tideport/service-kit/route'
import type { Kysely } from 'kysely'
import { type AnnounceDeps, announceWork } from '../announce-work.ts'
import type { FilesConfig } from '../config.ts'
import { type FileSeen, findOwnFile } from '../find-live-file.ts'
import { toFile } from '../views.ts'

interface Deps extends AnnounceDeps {
  db: Kysely<FilesDb>
  hotTier: HotTier
  config: Pick<FilesConfig, 'settleSeconds'>
}

/** The bytes are not what was announced, and will never be. */
const beyondRetry: readonly (string | null)[] = ['checksum_mismatch', 'size_mismatch']

/** `POST /api/files/:fileId/retry`: error → hot while the bytes are in the hot tier. Of several at once one does it. */
export function retryFileRoute({ db, hotTier, config, ...announce }: Deps) {
  return serve(retryFile, async ({ principal, params, signal }) => {
    const file = await findOwnFile(db, principal.accountId, params.fileId)
    if (file === null) throw notFound()
    if (file.status !== 'error') throw conflict('The file is not in error')
    if (beyondRetry.includes(file.errorCode)) throw conflict('The bytes are not those that were announced')
    const waitSeconds = secondsUntilSettled(file, config)
    if (waitSeconds > 0) throw conflict('Work on the file may not have ended yet; try again later', waitSeconds)
    if (!(await hasHotBytes(hotTier, file, signal))) throw conflict('The bytes are not in the hot tier any more')
    const retried = await markRetried(db, file)
    if (retried) {
      announceWork(announce, retried.id)
      return toFile(retried)
    }
    const again = await findOwnFile(db, principal.accountId, params.fileId)
    if (again === null) throw notFound()
    if (again.status === 'error') throw conflict('The file changed meanwhile; try again', 1)
    return toFile(again)
  })
}

/**
 * A deletion that eviction had begun may still reach the store: after its error nobody relies on the hot copy until
 * that is over (docs/file-lifecycle.md §6). Only what was synced is evicted.
 */
function secondsUntilSettled(file: FileSeen, { settleSeconds }: { settleSeconds: number }): number {
  const claimEnds = file.claimedUntil?.getTime() ?? 0
  const failedAt = file.erroredAt?.getTime() ?? 0
  const settled = file.syncedAt === null ? 0 : failedAt + (CLAIM_SECONDS + settleSeconds) * 1000
  return Math.ceil((Math.max(claimEnds, settled) - file.seenAt.getTime()) / 1000)
}

async function hasHotBytes(hotTier: HotTier, file: FileRow, signal: AbortSignal): Promise<boolean> {
  return file.hotKey !== null && (await hotTier.head(file.hotKey, signal)) === file.sizeBytes
}

function conflict(sentence: string, retryAfterSeconds?: number): AppError {
  return new AppError('state_conflict', sentence, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
}
