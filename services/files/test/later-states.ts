import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { Bundle } from './bundle.ts'

const never = new AbortController().signal

/** What sync leaves behind: a real copy in the network and a row that says so. Answers the blob id. */
export async function makeSynced(t: Bundle, fileId: string): Promise<string> {
  const [row] = await t.database.sql<{ hot_key: string }>('select hot_key from file where id = $1', [fileId])
  const body = await t.hotTier.open(row?.hot_key ?? '', undefined, never)
  if (body === null) throw new Error('The hot object is missing')
  const bytes = await buffer(body)
  await using staged = await t.network.stage(Readable.from([bytes]), { fileId, signal: never })
  await staged.commit()
  await t.database.sql(
    `update file set status = 'synced', network = $2, blob_id = $3, network_ref = '{}', sha256 = $4, synced_at = now(),
       sync_due_at = null, version = version + 1 where id = $1`,
    [fileId, t.network.id, staged.blobId, createHash('sha256').update(bytes).digest('hex')],
  )
  return staged.blobId
}

/** What eviction leaves behind: no hot object, and a row that says so. */
export async function makeCold(t: Bundle, fileId: string): Promise<string> {
  const blobId = await makeSynced(t, fileId)
  const [row] = await t.database.sql<{ hot_key: string }>('select hot_key from file where id = $1', [fileId])
  await t.hotTier.remove(row?.hot_key ?? '')
  await t.database.sql(
    `with evicted as (
       update file set status = 'cold', hot_key = null, evicted_at = now(), version = version + 1 where id = $1
       returning account_id, size_bytes
     )
     update account set hot_bytes = hot_bytes - size_bytes from evicted where account.id = account_id`,
    [fileId],
  )
  return blobId
}
