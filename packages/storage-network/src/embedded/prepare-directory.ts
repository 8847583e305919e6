import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ifExists, stagingDir } from './disk.ts'

/** Other processes stage in the same directory; what nobody wrote to for a day was left by a process that died. */
const STALE_AFTER_MS = 24 * 60 * 60 * 1000

/**
 * Once per process, before its first call: makes the directory and drops what dead processes left half staged.
 * False when that failed, which is left to the call itself to meet and to report.
 */
export async function prepareDirectory(dir: string): Promise<boolean> {
  try {
    await mkdir(stagingDir(dir), { recursive: true })
    await removeStaleStaging(stagingDir(dir))
    return true
  } catch {
    return false
  }
}

async function removeStaleStaging(staging: string): Promise<void> {
  for (const name of await readdir(staging)) {
    const path = join(staging, name)
    const found = await ifExists(stat(path))
    if (found && Date.now() - found.mtimeMs > STALE_AFTER_MS) await rm(path, { force: true })
  }
}
