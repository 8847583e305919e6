import { randomUUID } from 'node:crypto'
import { constants } from 'node:fs'
import { type FileHandle, lstat, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { absent } from './absent.ts'
import { inFolder } from './held-folder.ts'
import { Locked, lockFile } from './lock-file.ts'
import { isGone, thisRun } from './this-run.ts'

/** Where a download that is gone on with is until it is over: named by its file, and locked. */
export function keptPart(folder: string, fileId: string): string {
  const name = `.tideport-${fileId}.part`
  // The service may say anything: this has to stay in the folder.
  if (!isPart(name)) throw new Error(`"${fileId}" is not a file ID`)
  return join(folder, name)
}

/** The same of one that is begun anew. Its process is in its name, so that others see whether that still runs. */
export const passingPart = (folder: string): string =>
  join(folder, `.tideport-${randomUUID()}.${process.pid}.${thisRun}.part`)

const named = /^\.tideport-([0-9a-f-]{36})(?:\.(\d+)\.([0-9a-f]{8}))?\.part(?:\.lock\.\d+\.[0-9a-f-]{36})?$/

export const isPart = (name: string): boolean => named.test(name)

/** For writing behind what it has. What somebody put there that leads elsewhere, a link, a second name or a pipe, is removed. */
export async function openPart(path: string): Promise<FileHandle> {
  const there = await lstat(path).catch(absent)
  if (there && !(there.isFile() && there.nlink === 1)) await rm(path)
  // Windows does not know the last two.
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
