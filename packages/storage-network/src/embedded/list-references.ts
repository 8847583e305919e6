import { opendir, readdir, stat } from 'node:fs/promises'
import type { Reference } from '../storage-network.ts'
import { blobDir, entryPath, ifExists, isBlobId, isReference, onDisk } from './disk.ts'
import type { Volume } from './volume.ts'

/**
 * Every committed copy, in no order. Ends with an error when the volume went away meanwhile: the list has a hole then.
 */
export async function* listReferences(volume: Volume, signal: AbortSignal): AsyncGenerator<Reference> {
  await volume.check()
  for await (const { name: blobId } of await onDisk(opendir(volume.dir))) {
    signal.throwIfAborted()
    if (!isBlobId(blobId)) continue
    for (const reference of (await ifExists(readdir(blobDir(volume.dir, blobId)))) ?? []) {
      const entry = isReference(reference) && (await ifExists(stat(entryPath(volume.dir, blobId, reference))))
      if (entry) yield { blobId, reference, sizeBytes: entry.size, storedAt: entry.mtime }
    }
  }
  await volume.check()
}
