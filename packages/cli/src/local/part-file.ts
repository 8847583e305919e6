import { randomUUID } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { isRunning, Locked, lockFile } from './lock-file.ts'

/** Tells this process from one before it that had its id, as in containers, where all are 1. */
const run = randomUUID().slice(0, 8)

/** Where a download that is gone on with is until it is over: named by its file, and locked. */
export const keptPart = (folder: string, fileId: string): string => join(folder, `.tideport-${fileId}.part`)

/** The same of one that is begun anew. Its process is in its name, so that others see whether that still runs. */
export const passingPart = (folder: string): string =>
  join(folder, `.tideport-${randomUUID()}.${process.pid}.${run}.part`)

const named = /^\.tideport-([0-9a-f-]{36})(?:\.(\d+)\.([0-9a-f]{8}))?\.part(?:\.lock\.\d+\.[0-9a-f-]{36})?$/

export const isPart = (name: string): boolean => named.test(name)

/**
 * Removes what killed runs left in folders: parts that no process writes, but for those that are to be gone on with, by
 * the ids of their files.
 */
export async function clearParts(folders: Iterable<string>, wanted: ReadonlySet<string>): Promise<void> {
  for (const folder of folders) {
    const kept = new Set<string>()
    for (const name of await readdir(folder).catch(() => [])) {
      const [, id, pid, by] = named.exec(name) ?? []
      if (id === undefined) continue
      if (pid === undefined) kept.add(id)
      else if (Number(pid) === process.pid ? by !== run : !isRunning(Number(pid))) await rm(join(folder, name), { force: true }) // biome-ignore format: one line
    }
    for (const id of kept) if (!wanted.has(id)) await removeUnlocked(keptPart(folder, id))
  }
}

async function removeUnlocked(part: string): Promise<void> {
  try {
    await using _lock = await lockFile(`${part}.lock`)
    await rm(part, { force: true })
  } catch (error) {
    if (!(error instanceof Locked)) throw error
  }
}
