import { type FileHandle, mkdir, open, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { errno, ifExists, onDisk, stagingDir } from './disk.ts'
import type { Volume } from './volume.ts'

/** Other processes stage in the same directory. A file without writes for a day was left by a dead process. */
const STALE_AFTER_MS = 24 * 60 * 60 * 1000
const SWEEP_EVERY_MS = 60 * 60 * 1000

/** Deletes the files of dead processes, at the start and once an hour. Ignores failures. */
export function keepStaging(volume: Volume): () => Promise<void> {
  let sweptAt = Number.NEGATIVE_INFINITY
  return async () => {
    if (performance.now() - sweptAt < SWEEP_EVERY_MS) return
    sweptAt = performance.now()
    await removeStale(volume).catch(() => undefined)
  }
}

/** A new file in `staging/`, open for writing. Throws like `onDisk`. */
export interface StagedFile extends AsyncDisposable {
  /** Appends. The bytes must not change until the promise resolves. */
  write(bytes: Buffer): Promise<void>
  sync(): Promise<void>
  syncData(): Promise<void>
}

export async function createStaged(volume: Volume, path: string): Promise<StagedFile> {
  const { writes } = volume
  const create = () => writes.run(() => open(path, 'wx'), putAway(path))
  let handle = await ifExists(create())
  if (handle === null) {
    await makeStagingDir(volume)
    handle = await onDisk(create())
  }
  const file = handle
  return {
    write: (bytes) => onDisk(writes.run(() => file.writeFile(bytes))),
    sync: () => onDisk(writes.run(() => file.sync())),
    syncData: () => onDisk(writes.run(() => file.datasync())),
    [Symbol.asyncDispose]: () => writes.tidy(() => file.close()),
  }
}

function putAway(path: string): (late: FileHandle) => Promise<void> {
  return async (late) => {
    await late.close()
    await rm(path, { force: true })
  }
}

export async function writeStaged(volume: Volume, path: string, bytes: Buffer): Promise<void> {
  await using file = await createStaged(volume, path)
  await file.write(bytes)
  await file.sync()
}

/** Creates `staging/` only in a directory of this network, and never that directory itself. */
export async function makeStagingDir(volume: Volume): Promise<void> {
  await volume.check()
  const make = () =>
    mkdir(stagingDir(volume.dir)).catch((cause: unknown) => {
      if (errno(cause) !== 'EEXIST') throw cause
    })
  await onDisk(volume.writes.run(make))
}

async function removeStale({ dir, reads, writes }: Volume): Promise<void> {
  const staging = stagingDir(dir)
  for (const name of await reads.run(() => readdir(staging))) {
    const path = join(staging, name)
    const found = await ifExists(reads.run(() => stat(path)))
    if (found && Date.now() - found.mtimeMs > STALE_AFTER_MS)
      await writes.run(() => rm(path, { recursive: true, force: true }))
  }
}
