import type { NatsLink } from '@tideport/service-kit/nats/nats'
import { type Poll, poll } from '@tideport/service-kit/process/poll'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Kysely } from 'kysely'
import type { FilesDb } from '../state/tables.ts'
import { enqueueDue, queueName } from './dispatch.ts'
import type { JobQueue } from './job-queue.ts'
import type { Queue } from './steps.ts'

export interface DispatchDeps {
  db: Kysely<FilesDb>
  nats: NatsLink
  jobs: JobQueue
  log: Log
  signal: AbortSignal
  /** How long it pauses at most. */
  intervalSeconds: number
}

/** While there is work; at rest the pauses grow to the interval of the settings. */
export const BUSY_PAUSE_MS = 1000

/**
 * The periodic task that enqueues jobs of due rows again, so that no lost message and no lost stream loses work: once a
 * second while there are any, else after growing pauses, and at once when the broker comes back.
 */
export function startDispatch(deps: DispatchDeps, queue: Queue): Poll {
  const name = queueName(queue)
  const { db, nats, jobs, log, signal, intervalSeconds } = deps
  const enqueue = async (stopping: AbortSignal) => {
    if (!nats.connection()) return false
    const enqueued = await enqueueDue({ db, jobs }, queue, stopping)
    if (enqueued > 0) log.info({ job: name, enqueued }, 'due rows enqueued again')
    return enqueued > 0
  }
  const pauses = { minMs: BUSY_PAUSE_MS, maxMs: intervalSeconds * 1000 }
  const task = poll(pauses, `enqueue due ${name} jobs`, enqueue, { signal, log })
  nats.onConnect(() => task.wake())
  return task
}
