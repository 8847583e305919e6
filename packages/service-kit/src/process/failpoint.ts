import { readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 20

let directory: string | null = null

/** Turns failpoints on for this process. Called by `run` in development mode only. */
export function armFailpoints(armedDirectory: string): void {
  directory = armedDirectory
}

/**
 * A named place where a test can kill or hold this process; does nothing unless failpoints were armed.
 * An empty file of that name kills -9 the first process that comes by, whichever it is, and is gone by then.
 * A file that says `pause` holds everyone who comes by until it is removed.
 */
export async function failpoint(name: string): Promise<void> {
  if (directory === null) return
  const file = join(directory, name)
  let instruction = await read(file)
  if (instruction === '') {
    // Perhaps being written at this moment, and about to say "pause".
    await delay(POLL_MS)
    instruction = await read(file)
  }
  while (instruction === 'pause') {
    await delay(POLL_MS)
    instruction = await read(file)
  }
  if (instruction !== null && (await wasRemovedByUs(file))) await die()
}

async function read(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/** Of several processes that see the file, removing it picks one. */
async function wasRemovedByUs(file: string): Promise<boolean> {
  try {
    await unlink(file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Nothing after the failpoint may run, not even until the signal is delivered. */
async function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL')
  return await new Promise<never>(() => {})
}
