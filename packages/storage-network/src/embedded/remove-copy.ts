import { rmdir, unlink } from 'node:fs/promises'
import { blobDir, entryPath, errno, ifExists, isBlobId, onDisk, sidecarPath, syncDirectory } from './disk.ts'
import type { Volume } from './volume.ts'

/**
 * The entry goes first: without it the sidecar is nothing. The last one out takes the directory along, which may be all
 * that was left by somebody who died at this.
 */
export async function removeCopy(volume: Volume, blobId: string, reference: string): Promise<void> {
  if (!isBlobId(blobId)) return
  const { dir, writes } = volume
  const entry = entryPath(dir, blobId, reference)
  const hadEntry = await ifExists(writes.run(() => unlink(entry).then(() => true)))
  const hadSidecar = await ifExists(writes.run(() => unlink(sidecarPath(entry)).then(() => true)))
  const parent = blobDir(dir, blobId)
  if (!(hadEntry || hadSidecar)) await volume.check()
  if (await onDisk(writes.run(() => removeIfEmpty(parent)))) await onDisk(volume.syncNames())
  else await ifExists(writes.run(() => syncDirectory(parent)))
}

async function removeIfEmpty(parent: string): Promise<boolean> {
  try {
    await rmdir(parent)
    return true
  } catch (cause) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errno(cause) ?? '')) return false
    throw cause
  }
}
