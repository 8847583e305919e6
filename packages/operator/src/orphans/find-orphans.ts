import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { HotTierListing } from '@tideport/hot-tier/listing'
import { fileOf } from '@tideport/repair/reconcile/file-of'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { type Kysely, sql } from 'kysely'

const BATCH = 500

/** Where a file's bytes came; of one that is cold, only until what clients may still send is over. */
const keyOfUpload = sql`case when status <> 'cold' or cleanup_after is not null then upload_key end`

/**
 * Something outside that is named after a file of ours and that no row needs: a row comes before all of it, and
 * outlives it.
 */
export interface Orphan {
  kind: 'object' | 'upload' | 'copy'
  /** The object's key, or the copy's blob id. */
  name: string
  fileId: string
  /** Of a copy: where it is, and under which reference. */
  network: string | null
  reference: string | null
  sizeBytes: number | null
  storedAt: Date
}

/**
 * Batches of what is older than the bound and was nobody's at the moment it was yielded.
 */
export async function* findOrphans(
  db: Kysely<FilesDb>,
  outside: AsyncIterable<Orphan>,
  olderThanSeconds: number,
): AsyncGenerator<Orphan[]> {
  for await (const batch of batchesOf(outside)) yield await withoutRow(db, batch, olderThanSeconds)
}

/**
 * Those of them that are orphans now, by Postgres's clock: of a file that has no row; or that no row names, such as what a
 * slow store made of a request after all was over, and what was dropped. In that case the file must have a proved copy
 * elsewhere: else this may be what is left of its bytes, which after a restore its row does not know, for `operator
 * reconcile` to find.
 */
export async function withoutRow(db: Kysely<FilesDb>, found: Orphan[], olderThanSeconds: number): Promise<Orphan[]> {
  if (found.length === 0) return []
  const fileIds = [...new Set(found.map(({ fileId }) => fileId))]
  const { rows } = await sql<{ known: string[]; keys: string[]; proved: string[]; named: string[]; before: Date }>`
    select array(select id::text from file where id = any(${fileIds}::uuid[])) as known,
      array(select key from file, unnest(array[hot_key, rehydrate_key, ${keyOfUpload}]) as key
        where id = any(${fileIds}::uuid[]) and key is not null) as keys,
      array(select file_id::text from copy where file_id = any(${fileIds}::uuid[]) and state = 'proved') as proved,
      array(select network || '/' || reference from copy
        where file_id = any(${fileIds}::uuid[]) and state <> 'dropped') as named,
      now() - make_interval(secs => ${olderThanSeconds}) as before`.execute(db)
  const [answer] = rows
  if (answer === undefined) throw new Error('Postgres did not answer')
  const [known, proved] = [new Set(answer.known), new Set(answer.proved)]
  const named = new Set([...answer.keys, ...answer.named])
  const isNeeded = ({ kind, name, fileId, network, reference }: Orphan) =>
    known.has(fileId) && (!proved.has(fileId) || named.has(kind === 'copy' ? `${network}/${reference}` : name))
  return found.filter((orphan) => orphan.storedAt < answer.before && !isNeeded(orphan))
}

/** Everything outside that bears the name of a file of ours. Names of other forms are nobody's business. */
export async function* everythingOutside(
  listing: HotTierListing,
  networks: readonly StorageNetwork[],
  signal: AbortSignal,
): AsyncGenerator<Orphan> {
  const inBucket = { network: null, reference: null }
  for await (const { key: name, ...object } of listing.objects()) yield { kind: 'object', name, ...inBucket, ...object }
  for await (const { key: name, ...upload } of listing.uploads()) yield { kind: 'upload', name, ...inBucket, ...upload }
  for (const network of networks) {
    for await (const { blobId: name, ...copy } of network.references(signal)) {
      const fileId = fileOf(copy.reference)
      if (fileId !== null) yield { kind: 'copy', name, fileId, network: network.name, ...copy }
    }
  }
}

async function* batchesOf(outside: AsyncIterable<Orphan>): AsyncGenerator<Orphan[]> {
  let batch: Orphan[] = []
  for await (const found of outside) {
    batch.push(found)
    if (batch.length < BATCH) continue
    yield batch
    batch = []
  }
  yield batch
}
