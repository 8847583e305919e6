import { syncJob } from '@tideport/contracts/messages'
import { offerJob } from '@tideport/file-lifecycle/dispatch'
import type { Relay } from '@tideport/file-lifecycle/start-relay'
import type { Log } from '@tideport/service-kit/logger'
import type { NatsLink } from '@tideport/service-kit/nats'
import type { TraceContext } from '@tideport/service-kit/trace-context'

export interface AnnounceDeps {
  nats: NatsLink
  relay: Pick<Relay, 'wake'>
  log: Log
}

/**
 * Tells the sync worker and the relay of a row that was committed as due. Best effort: whatever is lost here is found
 * again by its clock.
 */
export function announceWork({ nats, relay, log }: AnnounceDeps, fileId: string, trace: TraceContext): void {
  relay.wake()
  offerJob(nats, syncJob, fileId, trace).catch((error: unknown) => {
    log.debug({ err: error, fileId, requestId: trace.requestId }, 'sync job not offered, its dispatcher will')
  })
}
