import type { HotTierListing } from '@tideport/file-lifecycle/hot-tier/hot-tier-listing'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { type Kysely, sql } from 'kysely'

const BATCH = 500

/** Something outside that is named after a file which no row knows: a row comes before all of it, and outlives it. */
export interface Orphan {
  kind: 'object' | 'upload' | 'copy'
  /** The object's key, or the copy's blob id. */
  name: string
  fileId: string
  sizeBytes: number | null
  storedAt: Date
}

/**
 * Batches of what is older than the bound and was no file's at the moment it was yielded. What bears the id of a file that
 * has a row is that file's, whatever the row names: after a restore the row may not know it yet.
 */
export async function* findOrphans(
  db: Kysely<FilesDb>,
  outside: AsyncIterable<Orphan>,
  olderThanSeconds: number,
): AsyncGenerator<Orphan[]> {
  for await (const batch of batchesOf(outside)) yield await withoutRow(db, batch, olderThanSeconds)
}

/** Those of them that are orphans now, by Postgres's clock. */
export async function withoutRow(db: Kysely<FilesDb>, found: Orphan[], olderThanSeconds: number): Promise<Orphan[]> {
  if (found.length === 0) return []
  const fileIds = [...new Set(found.map(({ fileId }) => fileId))]
  const { rows } = await sql<{ known: string[]; before: Date }>`
    select array(select id::text from file where id = any(${fileIds}::uuid[])) as known,
      now() - make_interval(secs => ${olderThanSeconds}) as before`.execute(db)
  const [answer] = rows
  if (answer === undefined) throw new Error('Postgres did not answer')
  const known = new Set(answer.known)
  return found.filter(({ fileId, storedAt }) => !known.has(fileId) && storedAt < answer.before)
}

/** Everything outside that bears the name of a file of ours. Names of other forms are nobody's business. */
export async function* everythingOutside(
  listing: HotTierListing,
  network: StorageNetwork,
  signal: AbortSignal,
): AsyncGenerator<Orphan> {
  for await (const { key: name, ...object } of listing.objects()) yield { kind: 'object', name, ...object }
  for await (const { key: name, ...upload } of listing.uploads()) yield { kind: 'upload', name, ...upload }
  for await (const { blobId: name, ...copy } of network.references(signal)) {
    if (isUuid(copy.fileId)) yield { kind: 'copy', name, ...copy }
  }
}

const isUuid = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)

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
