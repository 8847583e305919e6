import { syncJob } from '@tideport/contracts/messages'
import { claimDue, isLive, underClaim } from '@tideport/file-lifecycle/claim'
import { type CompletionDeps, completeUpload } from '@tideport/file-lifecycle/complete-upload'
import type { JobQueue } from '@tideport/file-lifecycle/job-queue'
import { purgeUnfinished } from '@tideport/file-lifecycle/purge'
import type { Relay } from '@tideport/file-lifecycle/start-relay'
import type { Log } from '@tideport/service-kit/logger'
import { newTrace } from '@tideport/service-kit/trace-context'
import { sql } from 'kysely'
import { drain, isUnclaimed } from './drain.ts'

const WAIT_MS = 5000

export interface FinishConfirmsDeps extends CompletionDeps {
  jobs: JobQueue
  relay: Pick<Relay, 'wake'>
  log: Log
  confirmRecheckSeconds: number
}

/**
 * One run of the clock that finishes confirms nobody finished (docs/file-lifecycle.md §4.7): the client has gone or its process
 * died while the store was at work. A claim keeps a file from being looked at more often than once a minute. What the
 * store has lost, or cannot complete, ends when the time of the upload is over.
 */
export async function finishConfirms(deps: FinishConfirmsDeps, signal: AbortSignal): Promise<void> {
  const due = (limit: number) => sql<{ id: string }>`
    select id from file
    where status = 'uploading' and completing_at <= now() - make_interval(secs => ${deps.confirmRecheckSeconds})
      and ${isLive} and ${isUnclaimed}
    order by completing_at limit ${limit}`
  await drain(deps.db, signal, due, (fileId) => finishConfirm(deps, fileId, signal))
}

async function finishConfirm(deps: FinishConfirmsDeps, fileId: string, stopping: AbortSignal): Promise<void> {
  const { db, jobs, relay, log } = deps
  const trace = newTrace()
  const upload = await claimDue(db, fileId, 'completion')
  if (!upload) return
  const completion = await underClaim(db, upload, stopping, (signal) =>
    completeUpload(deps, upload, { waitMs: WAIT_MS, signal, trace }),
  )
  log.info({ requestId: trace.requestId, fileId, outcome: completion.outcome }, 'unfinished confirm taken up')
  if (completion.outcome === 'lost' || completion.outcome === 'in_progress') {
    await purgeUnfinished(db, fileId, { settleSeconds: deps.settleSeconds, lostSeconds: deps.confirmLostSeconds })
  }
  if (completion.outcome !== 'confirmed' || !completion.isNews) return
  relay.wake()
  await jobs.offer(syncJob, fileId, trace).catch((error: unknown) => {
    log.warn({ err: error, fileId }, 'sync job not offered, the dispatcher will')
  })
}
