import { randomUUID } from 'node:crypto'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { isRunning } from './this-run.ts'

/** Two processes that start at the same moment may see each other, so both retry. */
const TRIES = 4

const own = new Set<string>()

export class Locked extends Error {
  override readonly name = 'Locked'
}

/**
 * Locks a path for one process. Each process writes its own claim file and then looks for others. So no two processes
 * miss each other, and removing a dead claim is safe. Rejects with `Locked`.
 */
export async function lockFile(path: string): Promise<AsyncDisposable> {
  for (let left = TRIES; ; left--) {
    const claim = `${path}.${process.pid}.${randomUUID()}`
    const release = async () => {
      await rm(claim, { force: true })
      own.delete(basename(claim))
    }
    own.add(basename(claim))
    try {
      await writeFile(claim, '', { flag: 'wx', mode: 0o600 })
    } catch (error) {
      own.delete(basename(claim))
      throw error
    }
    const other = await findOther(path, claim).catch(async (error) => {
      await release()
      throw error
    })
    if (other === null) return { [Symbol.asyncDispose]: release }
    await release()
    if (left === 1)
      throw new Locked(
        `Process ${other.pid} is already working on this. If that is not a tideport process, delete ${other.claim}`,
      )
    await wait(Math.random() * 100)
  }
}

export async function waitForLock(path: string, signal: AbortSignal): Promise<AsyncDisposable> {
  for (;;) {
    try {
      return await lockFile(path)
    } catch (error) {
      if (!(error instanceof Locked)) throw error
    }
    await wait(50 + Math.random() * 100, undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

/**
 * Removes claims of killed processes. A claim with our process ID is from an earlier process, as in containers, where
 * every ID is 1.
 */
async function findOther(path: string, claim: string): Promise<{ pid: number; claim: string } | null> {
  const folder = dirname(path)
  const prefix = `${basename(path)}.`
  for (const name of await readdir(folder)) {
    const [pid = '', id, ...more] = name.startsWith(prefix) ? name.slice(prefix.length).split('.') : []
    const there = join(folder, name)
    if (!/^\d+$/.test(pid) || !id || more.length > 0 || name === basename(claim)) continue
    if (pid === String(process.pid) ? own.has(name) : isRunning(Number(pid))) return { pid: Number(pid), claim: there }
    await rm(there, { force: true })
  }
  return null
}
