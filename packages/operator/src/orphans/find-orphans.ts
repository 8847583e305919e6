import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { HotTierListing } from '@tideport/hot-tier/listing'
import { fileOf } from '@tideport/repair/reconcile/file-of'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { type Kysely, sql } from 'kysely'
import { inBatches } from '../in-batches.ts'

const BATCH = 500

/** The upload key; for a cold file, only while requests of its clients may be open. */
const keyOfUpload = sql`case when status <> 'cold' or cleanup_after is not null then upload_key end`

/** An object or copy named after a file, but without a row. A row is created before its object and deleted after it. */
export interface Orphan {
  kind: 'object' | 'upload' | 'copy'
  /** The key of the object, or the blob ID of the copy. */
  name: string
  fileId: string
  /** Network and reference of a copy. */
  network: string | null
  reference: string | null
  sizeBytes: number | null
  storedAt: Date
}

/** Batches of orphans older than `olderThanSeconds`. */
export async function* findOrphans(
  db: Kysely<FilesDb>,
  outside: AsyncIterable<Orphan>,
  olderThanSeconds: number,
): AsyncGenerator<Orphan[]> {
  for await (const batch of inBatches(outside, BATCH)) yield await withoutRow(db, batch, olderThanSeconds)
}

/**
 * Current orphans, by the clock of Postgres: their file has no row, or no row names them. In the second case, the file
 * must have a proved copy elsewhere. After a restore, this may be the only copy, which `operator reconcile` finds.
 */
export async function withoutRow(db: Kysely<FilesDb>, found: Orphan[], olderThanSeconds: number): Promise<Orphan[]> {
  const fileIds = [...new Set(found.map(({ fileId }) => fileId))]
  const { rows } = await sql<{ known: string[]; keys: string[]; proved: string[]; named: string[]; before: Date }>`
    select array(select id::text from file where id = any(${fileIds}::uuid[])) as known,
      array(select object_key from file, unnest(array[hot_key, rehydrate_key, ${keyOfUpload}]) as object_key
        where id = any(${fileIds}::uuid[]) and object_key is not null) as keys,
      array(select file_id::text from copy where file_id = any(${fileIds}::uuid[]) and state = 'proved') as proved,
      array(select network || '/' || reference from copy
        where file_id = any(${fileIds}::uuid[]) and state <> 'dropped') as named,
      now() - make_interval(secs => ${olderThanSeconds}) as before`.execute(db)
  const [answer] = rows
  if (answer === undefined) throw new Error('Postgres did not respond')
  const [known, proved] = [new Set(answer.known), new Set(answer.proved)]
  const named = new Set([...answer.keys, ...answer.named])
  const isNeeded = ({ kind, name, fileId, network, reference }: Orphan) =>
    known.has(fileId) && (!proved.has(fileId) || named.has(kind === 'copy' ? `${network}/${reference}` : name))
  return found.filter((orphan) => orphan.storedAt < answer.before && !isNeeded(orphan))
}

/** Ignores names in other forms. */
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
