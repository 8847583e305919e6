import type { NatsLink } from '@tideport/service-kit/nats/nats'
import { every, type PeriodicTask } from '@tideport/service-kit/process/every'
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
  intervalSeconds: number
}

/**
 * The periodic task that enqueues jobs of due rows again, so that no lost message and no lost stream loses work. Runs at once when
 * the broker comes back.
 */
export function startDispatch(deps: DispatchDeps, queue: Queue): PeriodicTask {
  const name = queueName(queue)
  const { db, nats, jobs, log, signal, intervalSeconds } = deps
  const enqueue = async (stopping: AbortSignal) => {
    if (!nats.connection()) return
    const enqueued = await enqueueDue({ db, jobs }, queue, stopping)
    if (enqueued > 0) log.info({ job: name, enqueued }, 'due rows enqueued again')
  }
  const task = every(intervalSeconds * 1000, `enqueue due ${name} jobs`, enqueue, { signal, log })
  nats.onConnect(() => task.wake())
  return task
}
