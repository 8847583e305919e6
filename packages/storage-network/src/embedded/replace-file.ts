import { rename, rm, unlink } from 'node:fs/promises'
import { errno, ifExists, isNowhere } from './disk.ts'
import type { Lane } from './disk-call-limiter.ts'

/** Damage may have left a directory where a file has to be: it is nobody's, and must not stand in the way for ever. */

/** Others may be clearing the way, or making it a directory again. */
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
    // At once, for what is taken away bit by bit may be another's file by then.
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

/** Linux says EISDIR, others EPERM of `unlink`. */
function isOfDirectory(error: unknown): boolean {
  return ['EISDIR', 'EPERM'].includes(errno(error) ?? '')
}
