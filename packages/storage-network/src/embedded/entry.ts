import { hash } from 'node:crypto'
import { NetworkError } from '../errors.ts'
import { parseCid } from '../unixfs/cid.ts'
import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { doesExist, entryPath } from './disk.ts'
import type { Lane } from './lane.ts'
import { type OpenFile, openFile } from './open-file.ts'
import { readSidecar } from './read-sidecar.ts'
import { hasSidecar, leafDigest, leafSize, verifySidecar } from './sidecar.ts'
import type { Tree, TreeCache } from './tree-cache.ts'
import type { Volume } from './volume.ts'

/** A copy, open for reading, its tree verified up to the blob id. */
export interface Entry extends Tree {
  /** Of this content of this copy alone: another name once anything has been written to it. */
  name: string
  file: OpenFile
}

/**
 * Null when there is no such copy. A tree of `known` is not read again: it proves the bytes whether or not this copy's
 * own sidecar is still there.
 * @throws NetworkError `integrity` when the size, or the sidecar that is read, is not that of the blob
 */
export async function openEntry(
  { dir, reads }: Volume,
  blobId: string,
  reference: string,
  known: TreeCache,
): Promise<Entry | null> {
  const path = entryPath(dir, blobId, reference)
  const file = await openFile(reads, path)
  if (file === null) return null
  try {
    const content = await file.stat()
    const tree = known.get(blobId) ?? (await readTree(reads, path, { blobId, sizeBytes: content.size, known }))
    if (tree !== null && !(content.isFile() && content.size === tree.sizeBytes)) throw integrityError()
    if (tree !== null) return { name: [blobId, reference, content.ino, content.ctimeMs].join('/'), file, ...tree }
  } catch (error) {
    await file[Symbol.asyncDispose]()
    throw error
  }
  await file[Symbol.asyncDispose]()
  return null
}

/** Null when the copy has been removed meanwhile. */
async function readTree(
  reads: Lane,
  path: string,
  { blobId, sizeBytes, known }: { blobId: string; sizeBytes: number; known: TreeCache },
): Promise<Tree | null> {
  const sidecar = hasSidecar(blobId) ? await readSidecar(reads, path, sizeBytes) : Buffer.alloc(0)
  // Removal takes the entry first: a missing sidecar is damage only when the entry is still there.
  if (sidecar === null && !(await doesExist(reads, path))) return null
  const rootCid = parseCid(blobId)
  const leafDigests = rootCid && sidecar ? verifySidecar(rootCid, sizeBytes, sidecar) : null
  if (leafDigests === null) throw integrityError()
  const tree = { sizeBytes, leafDigests }
  if (hasSidecar(blobId)) known.set(blobId, tree)
  return tree
}

/**
 * Reads one leaf; never gives bytes that do not hash to their place in the tree. It lies in `space`, if that is given,
 * which nobody may use again when this throws: a read that was given up may still write there.
 */
export async function readLeaf(entry: Entry, index: number, space?: Buffer): Promise<Buffer> {
  const length = leafSize(index, entry.sizeBytes)
  const leaf = space ? space.subarray(0, length) : Buffer.allocUnsafeSlow(length)
  if (!(await entry.file.fill(leaf, index * UNIXFS_V1_2025.leafBytes))) throw integrityError()
  if (!hash('sha256', leaf, 'buffer').equals(leafDigest(entry.leafDigests, index))) throw integrityError()
  return leaf
}

function integrityError(): NetworkError {
  return new NetworkError('integrity', 'a copy in the embedded network is damaged')
}
