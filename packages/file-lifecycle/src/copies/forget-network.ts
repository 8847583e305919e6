import { type Kysely, sql } from 'kysely'
import { timelinePayload } from '../state/append-event.ts'
import { copyOn, holdsBytesIn, withCopies } from '../state/file-copies.ts'
import { guardedUpdate } from '../state/guarded-update.ts'
import { reloadFile } from '../state/queries.ts'
import type { FilesDb } from '../state/tables.ts'

const BATCH = 500
const NIL_UUID = '00000000-0000-0000-0000-000000000000'

/** What a file has beside its copy on a network that never comes back. */
export interface FileOnNetwork {
  id: string
  /** Nothing else is left of its bytes, by its row. */
  isAlone: boolean
}

/** Files with a copy on a network, in batches in the order of ids, as long as they have it. */
export async function* filesOnNetwork(db: Kysely<FilesDb>, network: string): AsyncGenerator<FileOnNetwork[]> {
  for (let last: string | undefined = NIL_UUID; last !== undefined; ) {
    const batch: FileOnNetwork[] = await readBatch(db, network, last)
    if (batch.length > 0) yield batch
    last = batch.length === BATCH ? batch.at(-1)?.id : undefined
  }
}

async function readBatch(db: Kysely<FilesDb>, network: string, last: string): Promise<FileOnNetwork[]> {
  const { rows } = await sql<FileOnNetwork>`
    select file.id, file.hot_key is null and file.purging_at is null and not exists (
        select from copy where copy.file_id = file.id and copy.network <> ${network} and ${holdsBytesIn}) as is_alone
    from (
      select file_id from copy where network = ${network} and state <> 'dropped' and file_id > ${last}::uuid
      order by file_id limit ${BATCH}
    ) as chosen join file on file.id = chosen.file_id order by file.id`.execute(db)
  return rows
}

/**
 * A copy on a network that never comes back counts as dropped, whatever its state. A purge that waits for that network
 * goes on at once. Whether there was one.
 */
export async function forgetCopy(db: Kysely<FilesDb>, fileId: string, network: string): Promise<boolean> {
  const gone = sql`state = 'dropped', due_at = null, lost_at = null, lease_expires_at = null, renew_due_at = null,
    billed_bytes = null, claimed_until = null, unfinished_claims = 0, fencing_token = copy.fencing_token + 1`
  for (;;) {
    const file = await reloadFile(db, fileId)
    if (file === null) return false
    const found = await withCopies(db, file)
    const copy = copyOn(found, network)
    if (copy === undefined || copy.state === 'dropped') return false
    const purgesOn = { purgeDueAt: sql`now()`, taskFailures: sql`0` }
    const forgotten = await guardedUpdate(db, {
      file,
      from: ['hot', 'synced', 'cold', 'error'],
      whilePurgedToo: true,
      ...(file.purgingAt !== null && { set: purgesOn }),
      copies: [{ network, set: gone }],
      events: [{ type: 'copy.dropped', payload: timelinePayload({ network, reason: 'forgotten' }) }],
    })
    if (forgotten) return true
  }
}
