import { readdir } from 'node:fs/promises'
import { isReference } from '../copy-name.ts'
import { NetworkError } from '../errors.ts'
import type { ByteRange } from '../storage-network.ts'
import { parseCid } from '../unixfs/cid.ts'
import { type Entry, integrityError } from '../verified/entry.ts'
import { createLeafCache } from '../verified/leaf-cache.ts'
import { hasSidecar, verifySidecar } from '../verified/sidecar.ts'
import { createTreeCache, type Tree, type TreeCache } from '../verified/tree-cache.ts'
import { VerifiedStream } from '../verified/verified-stream.ts'
import { blobDir, doesExist, entryPath, ifExists, noSuchCopy } from './disk.ts'
import type { Lane } from './disk-call-limiter.ts'
import { openFile } from './open-file.ts'
import { readSidecar } from './read-sidecar.ts'
import type { Volume } from './volume.ts'

/** Opens blobs for reading. Every call throws NetworkError `not_found`, `integrity`, `unreachable`. */
export interface BlobReader {
  openCopy(blobId: string, reference: string, range: ByteRange | undefined): Promise<VerifiedStream>
  /** Opens the first copy whose tree and first leaf verify. If none does, throws the last error other than `not_found`. */
  openAnyCopy(blobId: string, range: ByteRange | undefined): Promise<VerifiedStream>
}

export function createBlobReader(volume: Volume): BlobReader {
  const trees = createTreeCache()
  const leaves = createLeafCache()

  const openCopy: BlobReader['openCopy'] = async (blobId, reference, range) => {
    const entry = await openEntry(volume, blobId, reference, trees)
    if (entry === null) return await failAbsent(volume)
    return await VerifiedStream.open(entry, range, leaves)
  }
  return {
    openCopy,
    async openAnyCopy(blobId, range) {
      let failure: unknown
      for (const reference of (await ifExists(volume.reads.run(() => readdir(blobDir(volume.dir, blobId))))) ?? []) {
        if (!isReference(reference)) continue
        try {
          return await openCopy(blobId, reference, range)
        } catch (error) {
          // Report a damaged copy rather than one that was just removed.
          if (!(error instanceof NetworkError && error.code === 'not_found')) failure = error
        }
      }
      if (failure !== undefined) throw failure
      return await failAbsent(volume)
    },
  }
}

async function failAbsent(volume: Volume): Promise<never> {
  await volume.check()
  throw noSuchCopy()
}

/**
 * Null: the copy does not exist. A tree in `known` proves the bytes without reading the sidecar.
 * @throws NetworkError `integrity` for a wrong size or sidecar
 */
async function openEntry(
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
  // Removal deletes the content first. A missing sidecar is damage only if the content still exists.
  if (sidecar === null && !(await doesExist(reads, path))) return null
  const rootCid = parseCid(blobId)
  const leafDigests = rootCid && sidecar ? verifySidecar(rootCid, sizeBytes, sidecar) : null
  if (leafDigests === null) throw integrityError()
  const tree = { sizeBytes, leafDigests }
  if (hasSidecar(blobId)) known.set(blobId, tree)
  return tree
}
