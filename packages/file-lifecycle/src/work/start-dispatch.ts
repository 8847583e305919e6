import type { NatsLink } from '@tideport/service-kit/nats/nats'
import { type Clock, every } from '@tideport/service-kit/process/every'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Kysely } from 'kysely'
import type { FilesDb } from '../state/tables.ts'
import { type JobKind, offerDue } from './dispatch.ts'
import type { JobQueue } from './job-queue.ts'

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
export function startDispatch(deps: DispatchDeps, kind: JobKind): Clock {
  const { db, nats, jobs, log, signal, intervalSeconds } = deps
  const offer = async (stopping: AbortSignal) => {
    if (!nats.connection()) return
    const offered = await offerDue({ db, jobs }, kind, stopping)
    if (offered > 0) log.info({ job: kind, offered }, 'due files offered again')
  }
  const clock = every(intervalSeconds * 1000, `offer due ${kind} jobs`, offer, { signal, log })
  nats.onConnect(() => clock.wake())
  return clock
}
