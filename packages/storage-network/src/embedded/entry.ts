import { parseCid } from '../unixfs/cid.ts'
import { type Entry, integrityError } from '../verified/entry.ts'
import { hasSidecar, verifySidecar } from '../verified/sidecar.ts'
import type { Tree, TreeCache } from '../verified/tree-cache.ts'
import { doesExist, entryPath } from './disk.ts'
import type { Lane } from './lane.ts'
import { openFile } from './open-file.ts'
import { readSidecar } from './read-sidecar.ts'
import type { Volume } from './volume.ts'

/**
 * Null: no such copy. Skips reading a tree that is in `known`. @throws NetworkError `integrity` for a wrong size or
 * sidecar
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
