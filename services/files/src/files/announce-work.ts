import type { FilesContext } from '@tideport/file-lifecycle/process/open-context'
import type { Queue } from '@tideport/file-lifecycle/work/steps'
import { inBursts } from '@tideport/service-kit/process/in-bursts'
import type { Log } from '@tideport/service-kit/telemetry/logger'

/**
 * A single job is sent immediately. Many jobs are sent in bursts, because each message would wake the broker and this
 * process.
 */
const BURST_MS = 100

export interface AnnounceDeps {
  announce: Announce
}

/**
 * Notifies the workers and the relay of committed due rows. Best effort: periodic tasks find rows whose notification
 * was lost.
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
      log.debug({ err: error, fileId, job: queue.step }, 'could not enqueue a job; the dispatcher enqueues it')
    })
  }

  return (fileId, queues) => {
    relay.wake()
    for (const queue of queues) soon(() => enqueue(queue, fileId))
  }
}

/** Queues that store a confirmed or retried file on each of these networks. */
export function storeQueues(networks: readonly string[]): Queue[] {
  return networks.map((network) => ({ step: 'store', network }))
}
