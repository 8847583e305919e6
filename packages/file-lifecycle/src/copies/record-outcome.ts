import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Proof } from '@tideport/storage-network/storage-network'
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

/** Tells of what a proof mended in place, in the log and in the file's timeline; nothing when it mended nothing. */
export async function noteMended(
  { db, log }: { db: Kysely<FilesDb>; log: Log },
  { fileId, network }: Pick<CopyRow, 'fileId' | 'network'>,
  proof: Proof,
): Promise<void> {
  if (!proof.ok || proof.mended === undefined) return
  const mended = proof.mended.join(', ')
  log.warn({ fileId, network, mended }, 'a copy was mended in place')
  const from = sql`(select id, account_id from file where id = ${fileId} and purging_at is null) as told_of`
  const payload = timelinePayload({ network, mended })
  await appendEvents({ kind: 'file', type: 'copy.mended', payload, from }).execute(db)
}

/**
 * Copies that did not show, or had other bytes, are looked at now: what is lost must not be read from, nor relied on,
 * and what can be mended is read again soon.
 */
export async function checkSoon(db: Kysely<FilesDb>, fileId: string, networks: readonly string[]): Promise<void> {
  await sql`
    update copy set due_at = now()
    where file_id = ${fileId} and network = any(${networks}::text[]) and state in ('stored', 'proved') and due_at > now()`.execute(
    db,
  )
}
