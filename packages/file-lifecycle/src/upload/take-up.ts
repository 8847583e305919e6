import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Relay } from '../outbox/start-relay.ts'
import type { FileRow } from '../state/tables.ts'
import { claimOn } from '../work/claim.ts'
import type { JobQueue } from '../work/job-queue.ts'
import { type CompletionDeps, completeUpload } from './complete-upload.ts'
import type { Completion } from './confirm-seen.ts'

const WAIT_MS = 5000

export interface TakeUpDeps extends CompletionDeps {
  jobs: JobQueue
  relay: Pick<Relay, 'wake'>
  log: Log
}

/** Confirms a claimed upload in place of its client, who has gone or never came back. */
export async function takeUp(deps: TakeUpDeps, upload: FileRow, stopping: AbortSignal): Promise<Completion> {
  const { db, jobs, relay, log } = deps
  const fileId = upload.id
  const completion = await claimOn(db, upload).run(stopping, (signal) =>
    completeUpload(deps, upload, { waitMs: WAIT_MS, signal }),
  )
  log.info({ fileId, outcome: completion.outcome }, 'confirm taken up')
  if (completion.outcome !== 'confirmed' || !completion.didTransition) return completion
  relay.wake()
  for (const network of deps.networks.required) {
    await jobs.enqueue({ step: 'store', network }, fileId).catch((error: unknown) => {
      log.warn({ err: error, fileId, network }, 'job not enqueued, left to the dispatcher')
    })
  }
  return completion
}
