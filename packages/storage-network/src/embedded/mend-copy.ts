import { randomUUID } from 'node:crypto'
import { open, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { NetworkError } from '../errors.ts'
import type { CopyName, Mended } from '../storage-network.ts'
import type { ContentFacts } from '../verified/content-digest.ts'
import { blobDir, doesExist, entryPath, ifExists, onDisk, sidecarPath, stagingDir, syncDirectory } from './disk.ts'
import { readSidecar } from './read-sidecar.ts'
import { removeIfEmpty } from './remove-copy.ts'
import { removeFile, replaceFile } from './replace-file.ts'
import { writeStaged } from './staging.ts'
import type { Volume } from './volume.ts'

/**
 * Repairs the tree and the length of a copy whose bytes are proved. Null: the copy was removed meanwhile.
 * @throws NetworkError
 */
export async function mendCopy(
  volume: Volume,
  { blobId, reference }: CopyName,
  { sizeBytes, sidecar }: ContentFacts,
): Promise<Mended[] | null> {
  const entry = entryPath(volume.dir, blobId, reference)
  const mended: Mended[] = []
  const content = await ifExists(volume.reads.run(() => stat(entry)))
  if (content === null) return null
  if (content.size > sizeBytes) {
    if ((await ifExists(volume.writes.run(() => cut(entry, sizeBytes)))) === null) return null
    mended.push('length')
  }
  if (sidecar.length > 0 && !(await holds(volume, entry, { sizeBytes, sidecar }))) {
    const placed = await placeSidecar(volume, { blobId, reference }, sidecar)
    if (!(await doesExist(volume.reads, entry))) return await leaveNothing(volume, blobId, entry)
    if (!placed) throw new NetworkError('copy_failed', 'the new sidecar of a copy could not be placed')
    mended.push('tree')
  }
  return mended
}

/** Safe during reads: no reader reads beyond the end of the blob. */
async function cut(entry: string, sizeBytes: number): Promise<true> {
  await using handle = await open(entry, 'r+')
  await handle.truncate(sizeBytes)
  await handle.sync()
  return true
}

async function holds(
  { reads }: Volume,
  entry: string,
  { sizeBytes, sidecar }: Pick<ContentFacts, 'sizeBytes' | 'sidecar'>,
): Promise<boolean> {
  const held = await readSidecar(reads, entry, sizeBytes).catch((error: unknown) => {
    if (error instanceof NetworkError && error.code === 'copy_failed') return null
    throw error
  })
  return held?.equals(sidecar) ?? false
}

async function placeSidecar(
  volume: Volume,
  { blobId, reference }: Pick<CopyName, 'blobId' | 'reference'>,
  sidecar: Buffer,
): Promise<true | null> {
  const { writes } = volume
  const staged = join(stagingDir(volume.dir), `${reference}.${randomUUID()}.dag`)
  try {
    await writeStaged(volume, staged, sidecar)
    const placed = await replaceFile(writes, staged, sidecarPath(entryPath(volume.dir, blobId, reference)))
    if (placed) await ifExists(writes.run(() => syncDirectory(blobDir(volume.dir, blobId))))
    return placed
  } finally {
    await writes.tidy(() => rm(staged, { force: true })) // the sweep deletes leftovers
  }
}

/** A removal deletes the content first. Either the removal also deletes the new sidecar, or this function does. */
async function leaveNothing(volume: Volume, blobId: string, entry: string): Promise<null> {
  await removeFile(volume.writes, sidecarPath(entry))
  await onDisk(removeIfEmpty(volume.writes, blobDir(volume.dir, blobId)))
  return null
}
