import { rmdir } from 'node:fs/promises'
import { isBlobId } from '../copy-name.ts'
import { blobDir, entryPath, errno, ifExists, onDisk, sidecarPath, syncDirectory } from './disk.ts'
import type { Lane } from './disk-call-limiter.ts'
import { removeFile } from './replace-file.ts'
import type { Volume } from './volume.ts'

/**
 * Removes the content first, because a sidecar without content is not a copy. Then removes the directory if it is
 * empty.
 */
export async function removeCopy(volume: Volume, blobId: string, reference: string): Promise<void> {
  if (!isBlobId(blobId)) return
  const { dir, writes } = volume
  const entry = entryPath(dir, blobId, reference)
  const hadEntry = await removeFile(writes, entry)
  const hadSidecar = await removeFile(writes, sidecarPath(entry))
  const parent = blobDir(dir, blobId)
  if (!(hadEntry || hadSidecar)) await volume.check()
  if (await onDisk(removeIfEmpty(writes, parent))) await onDisk(volume.syncNames())
  else await ifExists(writes.run(() => syncDirectory(parent)))
}

export async function removeIfEmpty(writes: Lane, parent: string): Promise<boolean> {
  try {
    await writes.run(() => rmdir(parent))
    return true
  } catch (cause) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT', 'ENOTDIR'].includes(errno(cause) ?? '')) return false
    throw cause
  }
}
