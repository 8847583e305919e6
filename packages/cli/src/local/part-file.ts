import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { absent } from './absent.ts'
import { inFolder } from './held-folder.ts'
import { Locked, lockFile } from './lock-file.ts'
import { isGone, thisRun } from './this-run.ts'

/** Path of a resumable download until it is complete: named by its file, and locked. */
export function keptPart(folder: string, fileId: string): string {
  const name = `.tideport-${fileId}.part`
  // The service could return any ID, so the path must stay in the folder.
  if (!isPart(name)) throw new Error(`"${fileId}" is not a file ID`)
  return join(folder, name)
}

/**
 * Path of a download that is not resumable. The name contains the process, so that others see whether it is still
 * running.
 */
export const passingPart = (folder: string): string =>
  join(folder, `.tideport-${randomUUID()}.${process.pid}.${thisRun}.part`)

const named = /^\.tideport-([0-9a-f-]{36})(?:\.(\d+)\.([0-9a-f]{8}))?\.part(?:\.lock\.\d+\.[0-9a-f-]{36})?$/

export const isPart = (name: string): boolean => named.test(name)

/** Opens a part for appending. Removes a planted link, hard link, or pipe, which leads elsewhere. */
export async function openPart(path: string): Promise<FileHandle> {
  const there = await lstat(path).catch(absent)
  if (there && !(there.isFile() && there.nlink === 1)) await rm(path)
  // Windows does not support the last two flags.
  const { O_WRONLY, O_APPEND, O_CREAT, O_NOFOLLOW = 0, O_NONBLOCK = 0 } = constants
  return await open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK, 0o666)
}

/** Removes parts that no process writes, except those of the files in `wanted`. */
export async function clearParts(root: string, folders: Iterable<string>, wanted: ReadonlySet<string>): Promise<void> {
  for (const folder of folders) await inFolder({ root, folder }, (path) => clearFolder(path, wanted)).catch(() => {})
}

async function clearFolder(folder: string, wanted: ReadonlySet<string>): Promise<void> {
  const kept = new Set<string>()
  for (const name of await readdir(folder)) {
    const [, id, pid, by] = named.exec(name) ?? []
    if (id === undefined) continue
    if (pid === undefined || by === undefined) kept.add(id)
    else if (isGone(Number(pid), by)) await rm(join(folder, name), { force: true })
  }
  for (const id of kept) if (!wanted.has(id)) await removeUnlocked(keptPart(folder, id))
}

async function removeUnlocked(part: string): Promise<void> {
  try {
    await using _lock = await lockFile(`${part}.lock`)
    await rm(part, { force: true })
  } catch (error) {
    if (!(error instanceof Locked)) throw error
  }
}
