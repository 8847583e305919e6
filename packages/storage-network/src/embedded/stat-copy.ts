import { stat } from 'node:fs/promises'
import type { ReferenceState } from '../storage-network.ts'
import { doesExist, entryPath, ifExists, isBlobId, sidecarPath } from './disk.ts'
import { hasSidecar } from './sidecar.ts'
import type { Volume } from './volume.ts'

/** Content and, where there has to be one, sidecar are there: a look at names and size, not at bytes. */
export async function statCopy(volume: Volume, blobId: string, reference: string): Promise<ReferenceState> {
  if (isBlobId(blobId)) {
    const path = entryPath(volume.dir, blobId, reference)
    const entry = await ifExists(volume.reads.run(() => stat(path)))
    const isWhole = entry && (!hasSidecar(blobId) || (await doesExist(volume.reads, sidecarPath(path))))
    if (entry && isWhole) return { state: 'present', sizeBytes: entry.size, expiresAt: null }
  }
  await volume.check()
  return { state: 'absent' }
}
