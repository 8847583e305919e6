import type { Networks } from '@tideport/file-lifecycle/copies/networks'
import { isInHotTier } from '@tideport/file-lifecycle/copies/open-bytes'
import { type FileCopies, holdsBytes, isNamed, type NamedCopy } from '@tideport/file-lifecycle/state/file-copies'
import type { FileRow, FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Kysely } from 'kysely'
import { idOf, type ListedFile } from './manifest.ts'
import type { Stored } from './target/target.ts'

const BATCH = 500
const FIRST = '00000000-0000-0000-0000-000000000000'

/** Parts in memory of larger files would exceed the memory of a container. */
const PART_BYTES_MAX = 16 * 1024 ** 2

/** Confirmed files that are not being purged, in the order of their IDs. */
export async function* walkFiles(db: Kysely<FilesDb>): AsyncGenerator<FileCopies[]> {
  for (let after = FIRST; ; ) {
    const files = await db
      .selectFrom('file')
      .selectAll()
      .where('id', '>', after)
      .where('confirmedAt', 'is not', null)
      .where('purgingAt', 'is', null)
      .orderBy('id')
      .limit(BATCH)
      .execute()
    const last = files.at(-1)
    if (last === undefined) return
    const ids = files.map(({ id }) => id)
    const copies = Map.groupBy(
      await db.selectFrom('copy').selectAll().where('fileId', 'in', ids).execute(),
      ({ fileId }) => fileId,
    )
    yield files.map((file) => ({ file, copies: copies.get(file.id) ?? [] }))
    after = last.id
  }
}

/**
 * The entry of a file whose bytes belong in a backup: those in the bucket, and those on embedded networks unless
 * `withoutCopies`. Null: the backup leaves its bytes to the networks that have them.
 */
export function entryOf(
  { file, copies }: FileCopies,
  networks: Networks,
  { withoutCopies }: { withoutCopies: boolean },
): ListedFile | null {
  const { id, sizeBytes, mimeType } = file
  const hotKey = isInHotTier(file) ? file.hotKey : null
  const embedded = withoutCopies ? [] : copies.filter((copy) => isNamed(copy)).filter(isEmbedded(networks))
  if (hotKey === null && embedded.length === 0) return null
  return {
    ...{ id, sizeBytes, mimeType, hotKey, partBytes: partBytesOf(file) },
    copies: embedded.map(({ network, blobId, reference, ref }) => ({ network, blobId, reference, ref })),
  }
}

/** The ETag of an object shows its parts, and sync compares the bytes with it. Null: use the default. */
export function partBytesOf({ uploadForm, partSizeBytes }: Pick<FileRow, 'uploadForm' | 'partSizeBytes'>) {
  return uploadForm === 'parts' && partSizeBytes !== null && partSizeBytes <= PART_BYTES_MAX ? partSizeBytes : null
}

const isEmbedded = (networks: Networks) => (copy: NamedCopy) =>
  holdsBytes(copy) && networks.get(copy.network)?.driver === 'embedded'

/** Finds blobs by their IDs, which must be asked for in ascending order. */
export function createFinder(stored: AsyncIterable<Stored>) {
  const iterator = stored[Symbol.asyncIterator]()
  let current: Stored | null | undefined
  return {
    async has(id: string, sizeBytes: number): Promise<boolean> {
      while (current === undefined || (current !== null && idOf(current.name) < id)) {
        const next = await iterator.next()
        current = next.done ? null : next.value
      }
      return current !== null && idOf(current.name) === id && current.sizeBytes === sizeBytes
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await iterator.return?.()
    },
  }
}
