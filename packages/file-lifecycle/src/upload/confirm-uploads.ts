import { sql } from 'kysely'
import { purgeExpired } from '../removal/purge.ts'
import { FIRST_LOOK_SECONDS } from '../state/create-upload.ts'
import type { FileRow } from '../state/tables.ts'
import { claimOn } from '../work/claim.ts'
import { type DrainDeps, drain } from '../work/drain.ts'
import { type TakeUpDeps, takeUp } from './take-up.ts'

const LONGEST_PAUSE_SECONDS = 3600

/**
 * One run of the periodic task that confirms uploads whose client said that it might not come back (docs/adr/0087). Each is
 * looked at a minute after its request, then after twice that age and so on, at most an hour apart, and once more when its
 * time is over, with which it ends unless its bytes are there. One whose completion was begun is for finish-confirms.
 */
export async function confirmUploads(deps: TakeUpDeps & DrainDeps, signal: AbortSignal): Promise<boolean> {
  return await drain(deps, signal, {
    name: 'confirm uploads',
    due: {
      where: sql`status = 'uploading' and confirm_due_at <= now() and completing_at is null and purging_at is null`,
      by: sql`confirm_due_at`,
    },
    putOff: (until) => sql`claimed_until = null, confirm_due_at = ${until}`,
    visit: (file) => look(deps, file, signal),
  })
}

async function look(deps: TakeUpDeps, upload: FileRow, stopping: AbortSignal): Promise<void> {
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
