import { createHash, randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { processIdentity } from './process-identity.ts'

const pollMs = 50

/** Waits for the lock and holds it while `work` runs. A lock is free after its holder was killed. */
export async function withFileLock<T>(file: string, work: () => Promise<T>): Promise<T> {
  await takeFileLock(file)
  try {
    return await work()
  } finally {
    await releaseFileLock(file)
  }
}

export async function takeFileLock(file: string): Promise<void> {
  while ((await tryFileLock(file)) !== 'held') await delay(pollMs)
}

export async function tryFileLock(file: string): Promise<'held' | { holderPid: number }> {
  for (;;) {
    if (await isTaken(file)) return 'held'
    const content = await contentOf(file)
    if (content === undefined) continue // released meanwhile
    const holderPid = await liveHolder(content)
    if (holderPid !== undefined) return { holderPid }
    await removeStale(file, content)
  }
}

export async function releaseFileLock(file: string): Promise<void> {
  await rm(file, { force: true })
}

export async function fileLockHolder(file: string): Promise<number | undefined> {
  return liveHolder((await contentOf(file)) ?? '')
}

async function isTaken(file: string): Promise<boolean> {
  const own = `${file}.${process.pid}.${randomUUID()}`
  await writeFile(own, `${process.pid} ${await processIdentity(process.pid)}`)
  try {
    await link(own, file) // unlike a write, a link appears only with its complete content
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    await rm(own, { force: true })
  }
}

async function liveHolder(content: string): Promise<number | undefined> {
  const [pid, identity] = [Number.parseInt(content, 10), content.slice(content.indexOf(' ') + 1)]
  return pid > 0 && (await processIdentity(pid)) === identity ? pid : undefined
}

/** Checks the content again under a separate lock, so that it never removes the lock of the next holder. */
async function removeStale(file: string, content: string): Promise<void> {
  const name = createHash('sha256').update(content).digest('hex').slice(0, 16)
  await withFileLock(`${file}.${name}`, async () => {
    if ((await contentOf(file)) === content) await rm(file)
  })
}

async function contentOf(file: string): Promise<string | undefined> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
    return undefined
  })
}
