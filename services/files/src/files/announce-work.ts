import { syncJob } from '@tideport/contracts/internal/messages'
import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import type { JobQueue } from '@tideport/file-lifecycle/work/job-queue'
import type { Log } from '@tideport/service-kit/telemetry/logger'

export interface AnnounceDeps {
  jobs: JobQueue
  relay: Pick<Relay, 'wake'>
  log: Log
}

/**
 * Tells the sync worker and the relay of a row that was committed as due. Best effort: whatever is lost here is found
 * again by its clock.
 */
export function announceWork({ jobs, relay, log }: AnnounceDeps, fileId: string): void {
  relay.wake()
  jobs.offer(syncJob, fileId).catch((error: unknown) => {
    log.debug({ err: error, fileId }, 'sync job not offered, its dispatcher will')
  })
}
