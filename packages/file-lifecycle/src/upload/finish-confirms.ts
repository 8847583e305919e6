import { sql } from 'kysely'
import type { Relay } from '../outbox/start-relay.ts'
import { purgeUnfinished } from '../removal/purge.ts'
import { isLive } from '../state/live-file.ts'
import type { FileRow } from '../state/tables.ts'
import { claimOn } from '../work/claim.ts'
import { type DrainDeps, drain } from '../work/drain.ts'
import type { JobQueue } from '../work/job-queue.ts'
import { type CompletionDeps, completeUpload } from './complete-upload.ts'

const WAIT_MS = 5000

export interface FinishConfirmsDeps extends CompletionDeps, DrainDeps {
  jobs: JobQueue
  relay: Pick<Relay, 'wake'>
  confirmRecheckSeconds: number
}

/**
 * One run of the periodic task that finishes confirms nobody finished (docs/file-lifecycle.md §4.7): the client has
 * gone or its process died while the store was at work. A claim keeps a file from being looked at more often than once
 * a minute. What the store has lost, or cannot complete, ends when the time of the upload is over.
 */
export async function finishConfirms(deps: FinishConfirmsDeps, signal: AbortSignal): Promise<boolean> {
  const since = sql`now() - make_interval(secs => ${deps.confirmRecheckSeconds})`
  // As an array: by their ids, whatever Postgres thinks of a table that fills and empties all the time.
  const overdue = sql`id = any(array(select file_id from completing where since <= ${since}))
    and completing_at <= ${since}`
  return await drain(deps, signal, {
    name: 'finish confirms',
    due: { where: sql`status = 'uploading' and ${overdue} and ${isLive}`, by: sql`completing_at` },
    // Nobody else claims an upload, and when its completion began is not to change.
    putOff: (until) => sql`claimed_until = ${until}`,
    visit: (file) => finishConfirm(deps, file, signal),
  })
}

async function finishConfirm(deps: FinishConfirmsDeps, upload: FileRow, stopping: AbortSignal): Promise<void> {
  const { db, jobs, relay, log } = deps
  const fileId = upload.id
  const completion = await claimOn(db, upload).run(stopping, (signal) =>
    completeUpload(deps, upload, { waitMs: WAIT_MS, signal }),
  )
  log.info({ fileId, outcome: completion.outcome }, 'unfinished confirm taken up')
  if (completion.outcome === 'lost' || completion.outcome === 'in_progress') {
    const { settleSeconds, networks, confirmLostSeconds: lostSeconds } = deps
    await purgeUnfinished(db, fileId, { settleSeconds, networks, ownClaim: upload.fencingToken, lostSeconds })
  }
  if (completion.outcome !== 'confirmed' || !completion.didTransition) return
  relay.wake()
  for (const network of deps.networks.required) {
    await jobs.enqueue({ step: 'store', network }, fileId).catch((error: unknown) => {
      log.warn({ err: error, fileId, network }, 'job not enqueued, the dispatcher will')
    })
  }
}
