import { readdir } from 'node:fs/promises'
import { isReference } from '../copy-name.ts'
import { NetworkError } from '../errors.ts'
import type { ByteRange } from '../storage-network.ts'
import { createLeafCache } from '../verified/leaf-cache.ts'
import { createTreeCache } from '../verified/tree-cache.ts'
import { VerifiedStream } from '../verified/verified-stream.ts'
import { blobDir, ifExists, noSuchCopy } from './disk.ts'
import { openEntry } from './entry.ts'
import type { Volume } from './volume.ts'

/** Opens blobs for reading. Every call throws NetworkError `not_found`, `integrity`, `unreachable`. */
export interface BlobReader {
  openCopy(blobId: string, reference: string, range: ByteRange | undefined): Promise<VerifiedStream>
  /** The first copy whose tree and first leaf verify; throws the error of the last one tried when none does. */
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
          // A copy removed a moment ago says less than one that is damaged.
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
