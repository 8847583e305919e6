import { access, mkdir, rename, stat } from 'node:fs/promises'
import { NetworkError } from '../errors.ts'
import { blobDir, entryPath, errno, ifExists, onDisk, sidecarPath, syncDirectory } from './disk.ts'

const PLACING_ATTEMPTS = 1000

/**
 * Renames staged bytes to `<blobId>/<fileId>`, the sidecar first: the content's presence is the commit. An entry that
 * is there already is replaced, not trusted. Resolves when the names are durable too.
 */
export async function commitStaged(
  dir: string,
  content: string,
  target: { blobId: string; fileId: string; sizeBytes: number },
): Promise<void> {
  const staged = await ifExists(stat(content))
  if (staged?.size !== target.sizeBytes) throw stagedLost()
  const entry = entryPath(dir, target.blobId, target.fileId)
  const parent = blobDir(dir, target.blobId)
  await placeSidecar(parent, sidecarPath(content), sidecarPath(entry))
  // Once the sidecar is in it, only a removal of this very file can take the directory away.
  const moved = await ifExists(rename(content, entry).then(() => true))
  if (moved === null) throw stagedLost()
  await onDisk(syncDirectory(parent))
  await onDisk(syncDirectory(dir))
}

/** Whoever removes the last copy of a blob removes its directory, perhaps right now: then it is made again. */
async function placeSidecar(parent: string, from: string, to: string): Promise<void> {
  for (let attempt = 1; attempt <= PLACING_ATTEMPTS; attempt++) {
    await makeDirectory(parent)
    if (await ifExists(rename(from, to).then(() => true))) return
    if ((await ifExists(access(from).then(() => true))) === null) throw stagedLost()
  }
  throw new NetworkError('unreachable', 'the directory of a blob is removed again and again')
}

/** Not `recursive`: that fails with ENOENT when somebody removes the directory just as it is found to be there. */
async function makeDirectory(path: string): Promise<void> {
  const made = mkdir(path).catch((cause: unknown) => {
    if (errno(cause) !== 'EEXIST') throw cause
  })
  await ifExists(made)
}

function stagedLost(): NetworkError {
  return new NetworkError('staged_lost', 'the staged bytes are not there any more')
}
