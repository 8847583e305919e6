import { createHash, randomUUID } from 'node:crypto'
import { link, readFile, readlink, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { processIdentity } from './process-identity.ts'

const pollMs = 50
const beatMs = 1_000
/** A holder in another container that does not touch its lock for this time is dead. */
const silentMs = 10_000
/** A lock that was not touched for this time is stale in any case. */
const oldMs = 60_000

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
    const holderPid = await liveHolder(content, file)
    if (holderPid !== undefined) return { holderPid }
    await removeStale(file, content)
  }
}

/**
 * Shows processes in other containers, which cannot see the holder, that the lock is in use. `onLost`: another process
 * took the lock, because this one was paused for too long.
 */
export async function keepTouching(file: string, onLost: () => void): Promise<Disposable> {
  const own = await contentOf(file)
  let isReleased = false
  const touch = async () => {
    const content = await contentOf(file)
    if (isReleased) return
    if (content !== own) onLost()
    else await utimes(file, new Date(), new Date())
  }
  const timer = setInterval(() => void touch().catch(() => {}), beatMs).unref()
  return {
    [Symbol.dispose]() {
      isReleased = true
      clearInterval(timer)
    },
  }
}

export async function releaseFileLock(file: string): Promise<void> {
  await rm(file, { force: true })
}

export async function fileLockHolder(file: string): Promise<number | undefined> {
  return liveHolder((await contentOf(file)) ?? '', file)
}

async function isTaken(file: string): Promise<boolean> {
  const own = `${file}.${process.pid}.${randomUUID()}`
  await writeFile(own, `${process.pid} ${await processIdentity(process.pid)}|${await pidNamespace()}`)
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

async function liveHolder(content: string, file: string): Promise<number | undefined> {
  const [pid, identity] = [Number.parseInt(content, 10), content.slice(content.indexOf(' ') + 1)]
  const [own, namespace] = identity.split('|')
  if (!(pid > 0)) return undefined
  if (namespace !== undefined && namespace !== (await pidNamespace())) return (await isTouched(file)) ? pid : undefined
  return (await processIdentity(pid)) === own ? pid : undefined
}

/** Processes of other containers have other namespaces, in which a pid means another process. */
const pidNamespace = () => readlink('/proc/self/ns/pid').catch(() => 'only')

async function isTouched(file: string): Promise<boolean> {
  const touchedAt = () => stat(file).then(({ mtimeMs }) => mtimeMs, () => 0) // biome-ignore format: a pair
  const first = await touchedAt()
  if (Math.abs(Date.now() - first) > oldMs) return false
  for (const until = Date.now() + silentMs; Date.now() < until; await delay(beatMs / 4)) {
    const now = await touchedAt()
    if (now !== first) return now !== 0
  }
  return false
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
