import { unlinkSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

const POLL_MS = 20

let directory: string | null = null

/** Enables failpoints for this process. `run` calls it in development mode only. */
export function armFailpoints(armedDirectory: string): void {
  directory = armedDirectory
}

/**
 * A named line where a test can kill or pause this process. Does nothing unless failpoints are armed.
 * An empty file of that name kills the first process that reaches the line with SIGKILL. That process first removes
 * the file. A file that contains `pause` pauses every process at the line until the file is removed.
 */
export async function failpoint(name: string): Promise<void> {
  if (directory === null) return
  const file = join(directory, name)
  let instruction = await read(file)
  if (instruction === '') {
    // A test may still be writing "pause" to the file.
    await delay(POLL_MS)
    instruction = await read(file)
  }
  while (instruction === 'pause') {
    await delay(POLL_MS)
    instruction = await read(file)
  }
  if (instruction !== null && wasRemovedByUs(file)) await die()
}

async function read(file: string): Promise<string | null> {
  try {
    return (await readFile(file, 'utf8')).trim()
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}

/**
 * If several processes see the file, only the one that removes it continues. Synchronous, because work of the same
 * process that no longer finds the file must not continue before the signal.
 */
function wasRemovedByUs(file: string): boolean {
  try {
    unlinkSync(file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
}

/** Never resolves: no code after the failpoint may run, even before the signal is delivered. */
async function die(): Promise<never> {
  process.kill(process.pid, 'SIGKILL')
  return await new Promise<never>(() => {})
}
