import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Proof } from '@tideport/storage-network/storage-network'
import { type Kysely, sql } from 'kysely'
import { appendEvents, timelinePayload } from '../state/append-event.ts'
import type { CopyRow, FilesDb } from '../state/tables.ts'

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
