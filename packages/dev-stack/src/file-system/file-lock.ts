import { link, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { processIdentity } from '../processes/process-identity.ts'

const pollMs = 50

/** Waits for the lock and holds it while `work` runs. A lock whose holder was killed is free. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  await takeFileLock(file)
  try {
    return await work()
  } finally {
    await releaseFileLock(file)
  }
}

/** Waits for the lock and takes it for this process. */
export async function takeFileLock(file: string): Promise<void> {
  while ((await tryFileLock(file)) !== 'held') await delay(pollMs)
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

/** The pid of the live process that has the lock. */
export async function fileLockHolder(file: string): Promise<number | undefined> {
  return liveHolder(await readFile(file, 'utf8').catch(() => ''))
}

async function liveHolder(content: string): Promise<number | undefined> {
  const [pid, identity] = [Number.parseInt(content, 10), content.slice(content.indexOf(' ') + 1)]
  return pid > 0 && (await processIdentity(pid)) === identity ? pid : undefined
}

async function removeIfStale(file: string): Promise<{ holderPid: number } | 'held'> {
  const content = await readFile(file, 'utf8').catch(() => '')
  const holderPid = await liveHolder(content)
  if (holderPid !== undefined) return { holderPid }
  // Another waiter may have removed the stale lock and taken it since we read it: then we put it back.
  const aside = `${file}.${process.pid}.aside`
  await rename(file, aside).catch(ignoreMissing)
  if ((await readFile(aside, 'utf8').catch(() => content)) !== content) await link(aside, file).catch(() => {})
  await rm(aside, { force: true })
  return tryFileLock(file)
}

function ignoreMissing(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error
}
