import { open, readFile, rm, stat } from 'node:fs/promises'

/**
 * Sees to it that one process at a time does something: the file names that process. One that was killed leaves its file
 * behind, which the next takes over. Rejects with a sentence while the other runs.
 */
export async function lockFile(path: string): Promise<AsyncDisposable> {
  for (;;) {
    try {
      await using handle = await open(path, 'wx', 0o600)
      await handle.writeFile(`${process.pid}\n`)
      return { [Symbol.asyncDispose]: () => rm(path, { force: true }) }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const holder = await holderOf(path)
    if (holder !== null) throw new Error(`Process ${holder} is doing the same. If that is not so, remove ${path}`)
    await rm(path, { force: true })
  }
}

/** Null where that process is gone. One that was killed before it wrote left an empty file. */
async function holderOf(path: string): Promise<string | null> {
  const text = (await readFile(path, 'utf8').catch(() => '')).trim()
  if (text !== '') return isRunning(Number(text)) ? text : null
  const stats = await stat(path).catch(() => null)
  return stats && Date.now() - stats.mtimeMs < 10_000 ? 'unknown' : null
}

/** An id of our own was that of a process before, as in containers, where all are 1. */
function isRunning(pid: number): boolean {
  if (pid === process.pid) return false
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
