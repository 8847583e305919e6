import { type PurgeDeps, purgeFile } from '@tideport/file-lifecycle/removal/purge-file'
import { withoutWaitBudget } from '@tideport/service-kit/context/request-context'

/** Starts removing what a file that is being purged has outside, without anybody waiting for it. */
export type PurgeNow = (fileId: string) => void

/** Best effort: the row is committed, so whatever fails here is taken up by its periodic task. */
export function createPurgeNow(deps: PurgeDeps & { signal: AbortSignal }): PurgeNow {
  const { log, signal } = deps
  return (fileId) => {
    withoutWaitBudget(() => purgeFile(deps, fileId, signal)).catch((error: unknown) => {
      log.warn({ err: error, fileId }, 'purge not carried out, left to the periodic task')
    })
  }
}
