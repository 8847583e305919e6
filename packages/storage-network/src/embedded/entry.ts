import { hash } from 'node:crypto'
import { type FileHandle, open, readFile } from 'node:fs/promises'
import { NetworkError } from '../errors.ts'
import { parseCid } from '../unixfs/cid.ts'
import { UNIXFS_V1_2025 } from '../unixfs/dag-builder.ts'
import { doesExist, entryPath, ifExists, onDisk, sidecarPath } from './disk.ts'
import type { Lane } from './lane.ts'
import { hasSidecar, leafDigest, leafSize, verifySidecar } from './sidecar.ts'
import type { Tree, TreeCache } from './tree-cache.ts'
import type { Volume } from './volume.ts'

/** A copy, open for reading, its tree verified up to the blob id. */
export interface Entry extends Tree, AsyncDisposable {
  handle: FileHandle
  reads: Lane
}

/**
 * Null when there is no such copy. With `known`, a tree that was verified before is not read again.
 * @throws NetworkError `integrity` when sidecar and size are not those of the blob
 */
export async function openEntry(
  { dir, reads }: Volume,
  blobId: string,
  reference: string,
  known?: TreeCache,
): Promise<Entry | null> {
  const path = entryPath(dir, blobId, reference)
  const handle = await ifExists(
    reads.run(
      () => open(path, 'r'),
      (late) => late.close(),
    ),
  )
  if (handle === null) return null
  const close = () => reads.tidy(() => handle.close())
  try {
    const tree = known?.get(blobId) ?? (await readTree(path, blobId, { handle, known, reads }))
    if (tree !== null) return { handle, reads, ...tree, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
  await close()
  return null
}

/** Null when the copy has been removed meanwhile. */
async function readTree(
  path: string,
  blobId: string,
  { handle, known, reads }: { handle: FileHandle; known: TreeCache | undefined; reads: Lane },
): Promise<Tree | null> {
  const { size: sizeBytes } = await onDisk(reads.run(() => handle.stat()))
  const sidecar = hasSidecar(blobId) ? await ifExists(reads.run(() => readFile(sidecarPath(path)))) : Buffer.alloc(0)
  // Removal takes the entry first: a missing sidecar is damage only when the entry is still there.
  if (sidecar === null && !(await doesExist(reads, path))) return null
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
    const at = filled
    const read = () => entry.handle.read(leaf, at, length - at, position + at)
    const { bytesRead } = await onDisk(entry.reads.run(read))
    if (bytesRead === 0) throw integrityError()
    filled += bytesRead
  }
  if (!hash('sha256', leaf, 'buffer').equals(leafDigest(entry.leafDigests, index))) throw integrityError()
  return leaf
}

function integrityError(): NetworkError {
  return new NetworkError('integrity', 'a copy in the embedded network is damaged')
}
