import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errno, ifExists, onDisk, stagingDir } from './disk.ts'
import type { Volume } from './volume.ts'

/** Other processes stage in the same directory; what nobody wrote to for a day was left by a process that died. */
const STALE_AFTER_MS = 24 * 60 * 60 * 1000
const SWEEP_EVERY_MS = 60 * 60 * 1000

/**
 * At first and once an hour drops what dead processes left staged. That may fail, which is no trouble of whoever
 * stages.
 */
export function keepStaging(volume: Volume): () => Promise<void> {
  let sweptAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - sweptAt < SWEEP_EVERY_MS) return
    sweptAt = performance.now()
    await removeStale(stagingDir(volume.dir)).catch(() => undefined)
  }
}

/** Opens a new file of this path in `staging/`, which is made when it is not there. */
export async function createStaged(volume: Volume, path: string): Promise<FileHandle> {
  const handle = await ifExists(open(path, 'wx'))
  if (handle !== null) return handle
  await makeStagingDir(volume)
  return await onDisk(open(path, 'wx'))
}

/** Only in a directory that is the network's, and never that itself. */
export async function makeStagingDir(volume: Volume): Promise<void> {
  await volume.check()
  const made = mkdir(stagingDir(volume.dir)).catch((cause: unknown) => {
    if (errno(cause) !== 'EEXIST') throw cause
  })
  await onDisk(made)
}

async function removeStale(staging: string): Promise<void> {
  for (const name of await readdir(staging)) {
    const path = join(staging, name)
    const found = await ifExists(stat(path))
    if (found && Date.now() - found.mtimeMs > STALE_AFTER_MS) await rm(path, { force: true })
  }
}
