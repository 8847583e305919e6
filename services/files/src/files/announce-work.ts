import type { FilesContext } from '@tideport/file-lifecycle/process/open-context'
import type { Queue } from '@tideport/file-lifecycle/work/steps'
import { inBursts } from '@tideport/service-kit/process/in-bursts'
import type { Log } from '@tideport/service-kit/telemetry/logger'

/** A job by itself goes at once; of many, each would wake the broker and this process. */
const BURST_MS = 100

export interface AnnounceDeps {
  announce: Announce
}

/**
 * Tells the workers and the relay of rows that were committed as due. Best effort: whatever is lost here is found
 * again by periodic tasks.
 */
type Announce = (fileId: string, queues: readonly Queue[]) => void

export function createAnnounce({
  jobs,
  relay,
  log,
}: {
  jobs: FilesContext['jobs']
  relay: Pick<FilesContext['relay'], 'wake'>
  log: Log
}): Announce {
  const soon = inBursts(BURST_MS)

  function enqueue(queue: Queue, fileId: string): void {
    jobs.enqueue(queue, fileId).catch((error: unknown) => {
      log.debug({ err: error, fileId, job: queue.step }, 'job not enqueued, its dispatcher will')
    })
  }

  return (fileId, queues) => {
    relay.wake()
    for (const queue of queues) soon(() => enqueue(queue, fileId))
  }
}

/** A file that was confirmed, or is tried again, is to be stored on each of these. */
export function storeQueues(networks: readonly string[]): Queue[] {
  return networks.map((network) => ({ step: 'store', network }))
}
