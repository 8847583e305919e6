import type { Relay } from '@tideport/file-lifecycle/outbox/start-relay'
import type { JobQueue } from '@tideport/file-lifecycle/work/job-queue'
import type { Queue } from '@tideport/file-lifecycle/work/steps'
import type { Log } from '@tideport/service-kit/telemetry/logger'

export interface AnnounceDeps {
  jobs: JobQueue
  relay: Pick<Relay, 'wake'>
  log: Log
}

/**
 * Tells the workers and the relay of rows that were committed as due. Best effort: whatever is lost here is found
 * again by its periodic task.
 */
export function announceWork({ jobs, relay, log }: AnnounceDeps, fileId: string, queues: readonly Queue[]): void {
  relay.wake()
  for (const queue of queues) {
    jobs.enqueue(queue, fileId).catch((error: unknown) => {
      log.debug({ err: error, fileId, job: queue.step }, 'job not enqueued, its dispatcher will')
    })
  }
}

/** A file that was confirmed, or is tried again, is to be stored on each of these. */
export function storeQueues(networks: readonly string[]): Queue[] {
  return networks.map((network) => ({ step: 'store', network }))
}
