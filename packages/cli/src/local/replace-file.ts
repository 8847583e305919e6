import { randomUUID } from 'node:crypto'
import { open, readdir, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { makeFolder } from './make-folder.ts'
import { isGone, thisRun } from './this-run.ts'

/** Atomically replaces a file that only this user can read. Creates its folders with the same protection. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await makeFolder(dirname(path), 0o700)
  await clearLeft(path)
  const written = `${path}.${process.pid}.${thisRun}.${randomUUID()}`
  try {
    await using handle = await open(written, 'wx', 0o600)
    await handle.writeFile(text)
    await handle.datasync()
    await rename(written, path)
  } catch (error) {
    await rm(written, { force: true })
    throw error
  }
}

async function clearLeft(path: string): Promise<void> {
  const prefix = `${basename(path)}.`
  for (const name of await readdir(dirname(path)).catch(() => [])) {
    if (!name.startsWith(prefix)) continue
    const [, pid, run] = /^(\d+)\.([0-9a-f]{8})\.[0-9a-f-]{36}$/.exec(name.slice(prefix.length)) ?? []
    if (pid && run && isGone(Number(pid), run)) await rm(join(dirname(path), name), { force: true })
  }
}
