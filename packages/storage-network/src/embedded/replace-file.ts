import { rename, rm, unlink } from 'node:fs/promises'
import { errno, ifExists } from './disk.ts'
import type { Lane } from './lane.ts'

/** Damage may have left a directory where a file has to be: it is nobody's, and must not stand in the way for ever. */

/** Renames a file to where it replaces whatever is there. Null when it, or the directory it goes to, is not there. */
export async function replaceFile(writes: Lane, from: string, to: string): Promise<true | null> {
  const move = () => writes.run(() => rename(from, to))
  const moved = move().catch(async (cause: unknown) => {
    if (!isOfDirectory(cause)) throw cause
    // Others may be at it as well.
    await writes.run(() => rm(to, { recursive: true, force: true }))
    await move()
  })
  return await ifExists(moved.then(() => true as const))
}

/** Null when there is nothing. */
export async function removeFile(writes: Lane, path: string): Promise<true | null> {
  const removed = writes
    .run(() => unlink(path))
    .catch(async (cause: unknown) => {
      if (!isOfDirectory(cause)) throw cause
      await writes.run(() => rm(path, { recursive: true }))
    })
  return await ifExists(removed.then(() => true as const))
}

/** Takes a file away from where a directory has to be; that itself is left alone. */
export async function makeWay(writes: Lane, path: string): Promise<void> {
  const removed = writes
    .run(() => unlink(path))
    .catch((cause: unknown) => {
      if (!isOfDirectory(cause)) throw cause
    })
  await ifExists(removed)
}

/** Linux says EISDIR, others EPERM of `unlink`. */
function isOfDirectory(error: unknown): boolean {
  return ['EISDIR', 'EPERM'].includes(errno(error) ?? '')
}
