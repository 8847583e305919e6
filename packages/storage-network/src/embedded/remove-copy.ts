import { readdir, rmdir, unlink } from 'node:fs/promises'
import { NetworkError } from '../errors.ts'
import {
  assertDirectoryIsThere,
  blobDir,
  entryPath,
  errno,
  ifExists,
  isBlobId,
  onDisk,
  sidecarPath,
  syncDirectory,
} from './disk.ts'

/** Removes the file's copy of one blob, or of whatever blob it has one (which looks through all of them). */
export async function removeCopies(dir: string, fileId: string, blobId: string | null, signal: AbortSignal) {
  await assertDirectoryIsThere(dir)
  const blobIds = blobId === null ? ((await ifExists(readdir(dir))) ?? []) : [blobId]
  for (const candidate of blobIds) {
    signal.throwIfAborted()
    if (isBlobId(candidate)) await removeCopy(dir, candidate, fileId)
  }
}

/** The entry goes first: without it the sidecar is nothing. The last one out takes the directory along. */
async function removeCopy(dir: string, blobId: string, fileId: string): Promise<void> {
  const entry = entryPath(dir, blobId, fileId)
  const hadEntry = await ifExists(unlink(entry).then(() => true))
  const hadSidecar = await ifExists(unlink(sidecarPath(entry)).then(() => true))
  if (!hadEntry && !hadSidecar) return
  const parent = blobDir(dir, blobId)
  await ifExists(syncDirectory(parent))
  if (await removeIfEmpty(parent)) await onDisk(syncDirectory(dir))
}

async function removeIfEmpty(parent: string): Promise<boolean> {
  try {
    await rmdir(parent)
    return true
  } catch (cause) {
    if (['ENOTEMPTY', 'EEXIST', 'ENOENT'].includes(errno(cause) ?? '')) return false
    throw new NetworkError('unreachable', 'an empty directory could not be removed', { cause })
  }
}
