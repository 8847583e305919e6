import { sql } from 'kysely'
import type { Relay } from '../outbox/start-relay.ts'
import { purgeExpired, purgeUnfinished } from '../removal/purge.ts'
import { isLive } from '../state/queries.ts'
import type { FileRow } from '../state/tables.ts'
import { claimOn, fileRows } from '../work/claim.ts'
import type { JobQueue } from '../work/job-queue.ts'
import { type DueRowsDeps, processDueRows } from '../work/process-due-rows.ts'
import { type Completion, type CompletionDeps, completeUpload } from './confirm.ts'
import { FIRST_LOOK_SECONDS } from './create-upload.ts'

const WAIT_MS = 5000
const LONGEST_PAUSE_SECONDS = 3600

export interface ConfirmLaterDeps extends CompletionDeps, DueRowsDeps {
  jobs: JobQueue
  relay: Pick<Relay, 'wake'>
}

/**
 * Periodic task: finishes confirms after the client or its process has gone (docs/explain/life-of-a-file.md §4.7), each
 * at most once a minute. Lost and incomplete uploads are purged when they expire.
 */
export async function finishConfirms(
  deps: ConfirmLaterDeps & { confirmRecheckSeconds: number },
  signal: AbortSignal,
): Promise<boolean> {
  const since = sql`now() - make_interval(secs => ${deps.confirmRecheckSeconds})`
  // An array makes Postgres look up IDs, whatever it expects of this table.
  const overdue = sql`id = any(array(select file_id from completing where since <= ${since}))
    and completing_at <= ${since}`
  return await processDueRows(deps, signal, {
    rows: fileRows,
    name: 'finish confirms',
    due: { where: sql`status = 'uploading' and ${overdue} and ${isLive}`, by: sql`completing_at` },
    // Nobody else claims an upload, and the start of its completion must not change.
    putOff: (until) => sql`claimed_until = ${until}`,
    visit: (file) => finishConfirm(deps, file, signal),
  })
}

async function finishConfirm(deps: ConfirmLaterDeps, upload: FileRow, stopping: AbortSignal): Promise<void> {
  const { outcome } = await takeUp(deps, upload, stopping)
  if (outcome !== 'lost' && outcome !== 'in_progress') return
  const { settleSeconds, networks, confirmLostSeconds: lostSeconds } = deps
  await purgeUnfinished(deps.db, upload.id, { settleSeconds, networks, ownClaim: upload.fencingToken, lostSeconds })
}

/**
 * Periodic task: confirms uploads whose client may not return. Checks each after a minute, then after
 * twice its age, at most an hour apart, and when it expires. `finishConfirms` handles completions that have begun.
 */
export async function confirmUploads(deps: ConfirmLaterDeps, signal: AbortSignal): Promise<boolean> {
  return await processDueRows(deps, signal, {
    rows: fileRows,
    name: 'confirm uploads',
    due: {
      where: sql`status = 'uploading' and confirm_due_at <= now() and completing_at is null and purging_at is null`,
      by: sql`confirm_due_at`,
    },
    putOff: (until) => sql`claimed_until = null, confirm_due_at = ${until}`,
    visit: (file) => look(deps, file, signal),
  })
}

async function look(deps: ConfirmLaterDeps, upload: FileRow, stopping: AbortSignal): Promise<void> {
  const { outcome } = await takeUp(deps, upload, stopping)
  if (outcome === 'confirmed') return
  const { db, settleSeconds, networks } = deps
  const ended = await purgeExpired(db, upload.id, { settleSeconds, networks, ownClaim: upload.fencingToken })
  if (ended === null)
    await claimOn(db, upload).write(sql`confirm_due_at = ${nextLook}, claimed_until = null, task_failures = 0`)
}

const age = sql`extract(epoch from now() - created_at)`
const pause = sql`make_interval(secs => greatest(${FIRST_LOOK_SECONDS}, least(${LONGEST_PAUSE_SECONDS}, ${age})))`
const nextLook = sql`case when upload_expires_at > now() then least(upload_expires_at, now() + ${pause}) else now() + ${pause} end`

async function takeUp(deps: ConfirmLaterDeps, upload: FileRow, stopping: AbortSignal): Promise<Completion> {
  const { db, jobs, relay, log } = deps
  const fileId = upload.id
  const completion = await claimOn(db, upload).run(stopping, (signal) =>
    completeUpload(deps, upload, { waitMs: WAIT_MS, signal }),
  )
  log.info({ fileId, outcome: completion.outcome }, 'confirm continued')
  if (completion.outcome !== 'confirmed' || !completion.didTransition) return completion
  relay.wake()
  for (const network of deps.networks.required) {
    await jobs.enqueue({ step: 'store', network }, fileId).catch((error: unknown) => {
      log.warn({ err: error, fileId, network }, 'job not enqueued; the dispatcher enqueues it later')
    })
  }
  return completion
}
