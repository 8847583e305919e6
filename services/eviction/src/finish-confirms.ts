import { syncJob } from '@tideport/contracts/messages'
import { claimDue, isLive, underClaim } from '@tideport/file-lifecycle/claim'
import { type CompletionDeps, completeUpload } from '@tideport/file-lifecycle/complete-upload'
import { offerJob } from '@tideport/file-lifecycle/dispatch'
import type { Relay } from '@tideport/file-lifecycle/start-relay'
import type { FilesDb } from '@tideport/file-lifecycle/tables'
import type { Log } from '@tideport/service-kit/logger'
import type { NatsLink } from '@tideport/service-kit/nats'
import { newTrace } from '@tideport/service-kit/trace-context'
import { type Kysely, sql } from 'kysely'

const BATCH = 8
const WAIT_MS = 5000

export interface FinishConfirmsDeps extends CompletionDeps {
  nats: NatsLink
  relay: Pick<Relay, 'wake'>
  log: Log
  confirmRecheckSeconds: number
}

/**
 * One run of the clock that finishes confirms nobody finished (docs/file-lifecycle.md §4.7): the client has gone or its
 * process died while the store was at work. A claim keeps a file from being looked at more often than once a minute.
 */
export async function finishConfirms(deps: FinishConfirmsDeps, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    const fileIds = await findUnfinished(deps.db, deps.confirmRecheckSeconds)
    const results = await Promise.allSettled(fileIds.map((fileId) => finishConfirm(deps, fileId, signal)))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
    if (fileIds.length < BATCH) return
  }
}

async function findUnfinished(db: Kysely<FilesDb>, recheckSeconds: number): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select id from file
    where status = 'uploading' and completing_at <= now() - make_interval(secs => ${recheckSeconds}) and ${isLive}
      and (claimed_until is null or claimed_until <= now())
    order by completing_at limit ${BATCH}`.execute(db)
  return rows.map(({ id }) => id)
}

async function finishConfirm(deps: FinishConfirmsDeps, fileId: string, stopping: AbortSignal): Promise<void> {
  const { db, nats, relay, log } = deps
  const trace = newTrace()
  const upload = await claimDue(db, fileId, 'completion')
  if (!upload) return
  const completion = await underClaim(db, upload, stopping, (signal) =>
    completeUpload(deps, upload, { waitMs: WAIT_MS, signal, trace }),
  )
  log.info({ requestId: trace.requestId, fileId, outcome: completion.outcome }, 'unfinished confirm taken up')
  if (completion.outcome !== 'confirmed' || !completion.isNews) return
  relay.wake()
  await offerJob(nats, syncJob, fileId, trace).catch((error: unknown) => {
    log.warn({ err: error, fileId }, 'sync job not offered, the dispatcher will')
  })
}
