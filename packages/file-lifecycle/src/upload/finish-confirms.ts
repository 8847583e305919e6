import { sql } from 'kysely'
import { purgeUnfinished } from '../removal/purge.ts'
import { isLive } from '../state/queries.ts'
import type { FileRow } from '../state/tables.ts'
import { type DrainDeps, drain } from '../work/drain.ts'
import { type TakeUpDeps, takeUp } from './take-up.ts'

export interface FinishConfirmsDeps extends TakeUpDeps, DrainDeps {
  confirmRecheckSeconds: number
}

/**
 * One run of the periodic task that finishes confirms nobody finished (docs/file-lifecycle.md §4.7): the client has
 * gone or its process died while the store was at work. A claim keeps a file from being looked at more often than once
 * a minute. What the store has lost, or cannot complete, ends when the time of the upload is over.
 */
export async function finishConfirms(deps: FinishConfirmsDeps, signal: AbortSignal): Promise<boolean> {
  const since = sql`now() - make_interval(secs => ${deps.confirmRecheckSeconds})`
  // As an array: by their ids, whatever Postgres thinks of a table that fills and empties all the time.
  const overdue = sql`id = any(array(select file_id from completing where since <= ${since}))
    and completing_at <= ${since}`
  return await drain(deps, signal, {
    name: 'finish confirms',
    due: { where: sql`status = 'uploading' and ${overdue} and ${isLive}`, by: sql`completing_at` },
    // Nobody else claims an upload, and when its completion began is not to change.
    putOff: (until) => sql`claimed_until = ${until}`,
    visit: (file) => finishConfirm(deps, file, signal),
  })
}

async function finishConfirm(deps: FinishConfirmsDeps, upload: FileRow, stopping: AbortSignal): Promise<void> {
  const { outcome } = await takeUp(deps, upload, stopping)
  if (outcome !== 'lost' && outcome !== 'in_progress') return
  const { settleSeconds, networks, confirmLostSeconds: lostSeconds } = deps
  await purgeUnfinished(deps.db, upload.id, { settleSeconds, networks, ownClaim: upload.fencingToken, lostSeconds })
}
