import { type PurgeDeps, purgeFile } from '@tideport/file-lifecycle/removal/purge-file'
import { withoutWaitBudget } from '@tideport/service-kit/context/request-context'

/** Starts removing the objects and copies of a file that is being purged, without waiting for the outcome. */
export type PurgeNow = (fileId: string) => void

/** Best effort: the row is committed, so a periodic task continues after a failure. */
export function createPurgeNow(deps: PurgeDeps & { signal: AbortSignal }): PurgeNow {
  const { log, signal } = deps
  return (fileId) => {
    withoutWaitBudget(() => purgeFile(deps, fileId, signal)).catch((error: unknown) => {
      log.warn({ err: error, fileId }, 'could not purge the file; a periodic task purges it')
    })
  }
}
