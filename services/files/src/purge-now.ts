import { type PurgeDeps, purgeFile } from '@tideport/file-lifecycle/purge-file'
import type { Log } from '@tideport/service-kit/logger'
import { withoutPatience } from '@tideport/service-kit/request-context'

/** Starts removing what a file that is being purged has outside, without anybody waiting for it. */
export type PurgeNow = (fileId: string) => void

/** Best effort: the row is committed, so whatever fails here is taken up by the clock. */
export function createPurgeNow({ log, signal, ...deps }: PurgeDeps & { log: Log; signal: AbortSignal }): PurgeNow {
  return (fileId) => {
    withoutPatience(() => purgeFile(deps, fileId, signal)).catch((error: unknown) => {
      log.warn({ err: error, fileId }, 'purge not carried out, its clock will')
    })
  }
}
