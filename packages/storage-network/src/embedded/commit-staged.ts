import { mkdir, stat } from 'node:fs/promises'
import { NetworkError } from '../errors.ts'
import { hasSidecar } from '../verified/sidecar.ts'
import { blobDir, doesExist, entryPath, errno, ifExists, onDisk, sidecarPath, syncDirectory } from './disk.ts'
import { makeWay, replaceFile } from './replace-file.ts'
import type { Volume } from './volume.ts'

const PLACING_ATTEMPTS = 1000

/** Renames staged bytes into place, the sidecar first: the content's presence is the commit. Resolves when durable. */
export async function commitStaged(
  volume: Volume,
  content: string,
  target: { blobId: string; reference: string; sizeBytes: number },
): Promise<void> {
  const { dir, reads, writes } = volume
  await volume.check()
  const staged = await ifExists(reads.run(() => stat(content)))
  if (staged?.size !== target.sizeBytes) throw await stagedLost(volume)
  const entry = entryPath(dir, target.blobId, target.reference)
  const parent = blobDir(dir, target.blobId)
  if (hasSidecar(target.blobId)) {
    await place(volume, parent, sidecarPath(content), sidecarPath(entry))
    // Once the sidecar is in it, only a removal of this very copy can take the directory away.
    if ((await replaceFile(writes, content, entry)) === null) throw await stagedLost(volume)
  } else {
    await place(volume, parent, content, entry)
  }
  await onDisk(writes.run(() => syncDirectory(parent)))
  await onDisk(volume.syncNames())
  // It counts only where it will be looked for.
  await volume.check()
}

/** Whoever removes the last copy of a blob removes its directory, perhaps right now: then it is made again. */
async function place(volume: Volume, parent: string, from: string, to: string): Promise<void> {
  for (let attempt = 1; attempt <= PLACING_ATTEMPTS; attempt++) {
    await makeDirectory(volume, parent)
    if (await replaceFile(volume.writes, from, to)) return
    if (!(await doesExist(volume.reads, from))) throw await stagedLost(volume)
    await makeWay(volume.writes, parent)
  }
  throw new NetworkError('copy_failed', 'the directory of a blob is removed again and again')
}

/** Not `recursive`: that fails with ENOENT when somebody removes the directory just as it is found to be there. */
async function makeDirectory(volume: Volume, path: string): Promise<void> {
  const make = () =>
    mkdir(path).catch((cause: unknown) => {
      if (errno(cause) !== 'EEXIST') throw cause
    })
  await ifExists(volume.writes.run(make))
}

async function stagedLost(volume: Volume): Promise<NetworkError> {
  await volume.check()
  return new NetworkError('staged_lost', 'the staged bytes are not there any more')
}
