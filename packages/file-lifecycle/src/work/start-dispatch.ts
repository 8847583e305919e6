import type { NatsLink } from '@tideport/service-kit/nats/nats'
import { type Clock, every } from '@tideport/service-kit/process/every'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Kysely } from 'kysely'
import type { FilesDb } from '../state/tables.ts'
import { offerDue, queueName } from './dispatch.ts'
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
 * The clock that offers due rows as jobs again, so that no lost message and no lost stream loses work. Runs at once when
 * the broker comes back.
 */
export function startDispatch(deps: DispatchDeps, queue: Queue): Clock {
  const name = queueName(queue)
  const { db, nats, jobs, log, signal, intervalSeconds } = deps
  const offer = async (stopping: AbortSignal) => {
    if (!nats.connection()) return
    const offered = await offerDue({ db, jobs }, queue, stopping)
    if (offered > 0) log.info({ job: name, offered }, 'due files offered again')
  }
  const clock = every(intervalSeconds * 1000, `offer due ${name} jobs`, offer, { signal, log })
  nats.onConnect(() => clock.wake())
  return clock
}
