import { type Kysely, sql } from 'kysely'
import { appendEvents, timelinePayload } from '../state/append-event.ts'
import type { ClaimedCopy } from '../state/copy-transitions.ts'
import type { CopyRow, FilesDb } from '../state/tables.ts'

/**
 * A step of a copy failed: counted, due again after `delaySeconds`, told in the timeline. The file's row is not
 * touched. Null: the claim was somebody else's.
 */
export async function recordAttempt(
  db: Kysely<FilesDb>,
  { file, copy }: ClaimedCopy,
  {
    step,
    reason,
    delaySeconds,
    counts = true,
  }: { step: string; reason: string; delaySeconds: number; counts?: boolean },
): Promise<CopyRow | null> {
  const attempt = copy.attempt + (counts ? 1 : 0)
  const payload = timelinePayload({ network: copy.network, attempt, reason, delaySeconds })
  const from = sql`(select file_id as id, ${file.accountId}::uuid as account_id from changed) as told_of`
  const { rows } = await sql<CopyRow>`
    with changed as (
      update copy set attempt = ${attempt}, due_at = now() + make_interval(secs => ${delaySeconds}),
        claimed_until = null, unfinished_claims = 0
      where file_id = ${copy.fileId} and network = ${copy.network} and state = ${copy.state}
        and fencing_token = ${copy.fencingToken}
      returning *
    ), told as (
      ${appendEvents({ kind: 'file', type: `${step}.failed`, payload, from })}
    )
    select * from changed`.execute(db)
  return rows[0] ?? null
}
