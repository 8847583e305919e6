import { hash } from 'node:crypto'
import { access, type FileHandle, open, readFile } from 'node:fs/promises'
import { NetworkError } from '../errors.ts'
import { parseCid } from '../unixfs/cid.ts'
import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { entryPath, ifExists, onDisk, sidecarPath } from './disk.ts'
import { hasSidecar, leafDigest, leafSize, verifySidecar } from './sidecar.ts'
import type { Tree, TreeCache } from './tree-cache.ts'

/** A copy, open for reading, its tree verified up to the blob id. */
export interface Entry extends Tree {
  handle: FileHandle
}

/**
 * Null when there is no such copy. With `known`, a tree that was verified before is not read again.
 * @throws NetworkError `integrity` when sidecar and size are not those of the blob
 */
export async function openEntry(
  dir: string,
  blobId: string,
  reference: string,
  known?: TreeCache,
): Promise<Entry | null> {
  const path = entryPath(dir, blobId, reference)
  const handle = await ifExists(open(path, 'r'))
  if (handle === null) return null
  try {
    const tree = known?.get(blobId) ?? (await readTree(path, blobId, { handle, known }))
    if (tree === null) return await closeAbsent(handle)
    return { handle, ...tree }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Null when the copy has been removed meanwhile. */
async function readTree(
  path: string,
  blobId: string,
  { handle, known }: { handle: FileHandle; known: TreeCache | undefined },
): Promise<Tree | null> {
  const { size: sizeBytes } = await onDisk(handle.stat())
  const sidecar = hasSidecar(blobId) ? await ifExists(readFile(sidecarPath(path))) : Buffer.alloc(0)
  if (sidecar === null && (await isRemoved(path))) return null
  const rootCid = parseCid(blobId)
  const leafDigests = rootCid && sidecar ? verifySidecar(rootCid, sizeBytes, sidecar) : null
  if (leafDigests === null) throw integrityError()
  const tree = { sizeBytes, leafDigests }
  if (hasSidecar(blobId)) known?.set(blobId, tree)
  return tree
}

/**
 * Reads one leaf; never gives bytes that do not hash to their place in the tree. The leaf lies in `space`, which a
 * caller that is done with the leaf before can give again: fresh megabytes are freed late.
 */
export async function readLeaf(entry: Entry, index: number, space?: Buffer): Promise<Buffer> {
  const length = leafSize(index, entry.sizeBytes)
  const leaf = space ? space.subarray(0, length) : Buffer.allocUnsafeSlow(length)
  const position = index * UNIXFS_V1_2025.leafBytes
  for (let filled = 0; filled < length; ) {
    const { bytesRead } = await onDisk(entry.handle.read(leaf, filled, length - filled, position + filled))
    if (bytesRead === 0) throw integrityError()
    filled += bytesRead
  }
  if (!hash('sha256', leaf, 'buffer').equals(leafDigest(entry.leafDigests, index))) throw integrityError()
  return leaf
}

// Removal takes the entry first: a missing sidecar is damage only when the entry is still there.
async function isRemoved(path: string): Promise<boolean> {
  return (await ifExists(access(path).then(() => true))) === null
}

async function closeAbsent(handle: FileHandle): Promise<null> {
  await handle.close()
  return null
}

function integrityError(): NetworkError {
  return new NetworkError('integrity', 'a copy in the embedded network is damaged')
}
