import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { processIdentity } from './process-identity.ts'

const pollMs = 50

/** Waits for the lock and holds it while `work` runs. A lock whose holder was killed is free. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  while ((await tryFileLock(file)) !== 'held') await delay(pollMs)
  try {
    return await work()
  } finally {
    await releaseFileLock(file)
  }
}

/** Takes the lock for this process, or tells the pid of the process that has it. */
export async function tryFileLock(file: string): Promise<'held' | { holderPid: number }> {
  const own = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`
  await writeFile(own, `${process.pid} ${await processIdentity(process.pid)}`)
  try {
    await link(own, file) // unlike a write, a link shows up with its content or not at all
    return 'held'
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return await removeIfStale(file)
  } finally {
    await rm(own, { force: true })
  }
}

export async function releaseFileLock(file: string): Promise<void> {
  await rm(file, { force: true })
}

// Two waiters that find the same dead holder at the same moment can both get in. What the lock guards bears that (it
// is renamed into place); the lock only spares double work.
async function removeIfStale(file: string): Promise<{ holderPid: number } | 'held'> {
  const holder = await readFile(file, 'utf8').catch(() => undefined)
  if (holder === undefined) return tryFileLock(file)
  const [pid, identity] = [Number.parseInt(holder, 10), holder.slice(holder.indexOf(' ') + 1)]
  if ((await processIdentity(pid)) === identity) return { holderPid: pid }
  await rm(file, { force: true })
  return tryFileLock(file)
}
