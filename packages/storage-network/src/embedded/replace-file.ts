import { rename, rm, unlink } from 'node:fs/promises'
import { errno, ifExists, isNowhere } from './disk.ts'
import type { Lane } from './disk-call-limiter.ts'

/**
 * Damage can leave a directory at the path of a file. Nobody owns that directory, and it must not block the path
 * permanently.
 */

/** Other processes may remove such a directory at the same time, or create it again. */
const ATTEMPTS = 10

/** Null: the file or the target directory does not exist. */
export async function replaceFile(writes: Lane, staged: string, to: string): Promise<true | null> {
  return await ifExists(moveOver(writes, staged, to).then(() => true as const))
}

async function moveOver(writes: Lane, staged: string, to: string, attempts = ATTEMPTS): Promise<void> {
  try {
    await writes.run(() => rename(staged, to))
  } catch (cause) {
    if (!isOfDirectory(cause) || attempts === 1) throw cause
    const aside = `${staged}.aside`
    // One rename, because another process can place its file here during a recursive deletion.
    await writes
      .run(() => rename(to, aside))
      .catch((error: unknown) => {
        if (!isNowhere(error)) throw error
      })
    await writes.run(() => rm(aside, { recursive: true, force: true }))
    await moveOver(writes, staged, to, attempts - 1)
  }
}

export async function removeFile(writes: Lane, path: string): Promise<true | null> {
  const removed = writes
    .run(() => unlink(path))
    .catch(async (cause: unknown) => {
      if (!isOfDirectory(cause)) throw cause
      await writes.run(() => rm(path, { recursive: true }))
    })
  return await ifExists(removed.then(() => true as const))
}

export async function makeWay(writes: Lane, path: string): Promise<void> {
  const removed = writes
    .run(() => unlink(path))
    .catch((cause: unknown) => {
      if (!isOfDirectory(cause)) throw cause
    })
  await ifExists(removed)
}

/** `unlink` of a directory fails with EISDIR on Linux and with EPERM elsewhere. */
function isOfDirectory(error: unknown): boolean {
  return ['EISDIR', 'EPERM'].includes(errno(error) ?? '')
}
