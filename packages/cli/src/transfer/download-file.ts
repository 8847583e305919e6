import { createHash, type Hash } from 'node:crypto'
import { type FileHandle, link, lstat, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { uptime } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { ChecksumError, type FileRecord } from '@tideport/sdk'
import { absent } from '../local/absent.ts'
import { hashFile, hashInto } from '../local/hash-file.ts'
import { inFolder } from '../local/held-folder.ts'
import { lockFile } from '../local/lock-file.ts'
import { keptPart, openPart, passingPart } from '../local/part-file.ts'
import { refuseLinks } from '../local/plain-folders.ts'
import type { Contents } from '../private/read-contents.ts'

/** Interrupted downloads of at least this size are resumable. */
const KEPT_BYTES = 16 * 1024 ** 2

export interface DownloadTarget {
  /** The folder that the user named. Nothing outside it is written. */
  root: string
  path: string
  /** Replaces an existing file. Otherwise an existing file stays, and the download fails. */
  overwrite: boolean
  signal: AbortSignal
  onMoved?: (bytes: number) => void
}

/** Downloads to a part, verifies it, and renames it to its final path. Resumes large files. Returns the SHA-256. */
export async function downloadFile(file: FileRecord, contents: Contents, target: DownloadTarget): Promise<string> {
  return await inFolder({ root: target.root, folder: dirname(target.path), make: true }, (folder) =>
    downloadInto(folder, file, contents, target),
  )
}

async function downloadInto(folder: string, file: FileRecord, contents: Contents, target: DownloadTarget) {
  const path = join(folder, basename(target.path))
  await makeWay(path, target.overwrite)
  const isKept = contents.sizeBytes >= KEPT_BYTES
  const part = isKept ? keptPart(folder, file.id) : passingPart(folder)
  await using _lock = isKept ? await lockFile(`${part}.lock`) : null
  try {
    const sha256 = await fetchInto(contents, part, target)
    await moveTo(part, path, target.overwrite)
    return sha256
  } catch (error) {
    // The part is wrong, too small to keep, or not needed.
    if (!isKept || error instanceof ChecksumError || error instanceof Taken) await rm(part, { force: true })
    throw error
  }
}

class Taken extends Error {
  override readonly name = 'Taken'
}

/** Runs before the download. Removes empty folders at the path; the user must delete other folders. */
async function makeWay(path: string, overwrite: boolean): Promise<void> {
  const there = await lstat(path).catch(absent)
  if (there && !overwrite) throw taken(path)
  if (there?.isDirectory()) await removeEmpty(path)
}

async function removeEmpty(folder: string): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) throw new Taken(`${folder} is a local folder that contains ${entry.name}`)
    await removeEmpty(join(folder, entry.name))
  }
  await rmdir(folder)
}

const taken = (path: string, cause?: unknown) => new Taken(`${path} exists. To replace it, use --overwrite`, { cause })

async function fetchInto(contents: Contents, part: string, { root, path, signal, onMoved }: DownloadTarget) {
  const { sizeBytes, checksumSha256 } = contents
  await using handle = await openPart(part)
  await refuseElsewhere(root, join(dirname(path), basename(part)), handle)
  const begin = await arrivedIn(handle, contents)
  if (begin === 0) await handle.truncate(0)
  const hash: Hash = createHash('sha256')
  if (begin > 0) await hashInto(hash, part, signal)
  let moved = begin
  for await (const chunk of await contents.open(begin, signal)) {
    await handle.writeFile(chunk)
    hash.update(chunk)
    moved += chunk.length
    onMoved?.(moved)
  }
  const sha256 = hash.digest('hex')
  if (moved !== sizeBytes || (checksumSha256 ?? sha256) !== sha256) {
    throw new ChecksumError('The downloaded bytes do not match the stored size and SHA-256')
  }
  await handle.datasync()
  return sha256
}

/**
 * Checks that an open part is still at its path, without links, so that the bytes and the final rename stay in the
 * folder.
 */
async function refuseElsewhere(root: string, part: string, handle: FileHandle): Promise<void> {
  await refuseLinks(root, dirname(part))
  const [there, opened] = await Promise.all([lstat(part), handle.stat()])
  if (there.ino !== opened.ino || there.dev !== opened.dev)
    throw new Error(`${part} was moved or replaced during the download. Run the command again`)
  await refuseLinks(root, dirname(part))
}

/** Without a hash, bytes that were written before a system crash may be missing on disk, so the download restarts. */
async function arrivedIn(part: FileHandle, { sizeBytes, checksumSha256 }: Contents): Promise<number> {
  const { size, mtimeMs } = await part.stat()
  // Also if the clock was set back.
  const isOlder = mtimeMs < Date.now() - uptime() * 1000 || mtimeMs > Date.now() + 2000
  return size > sizeBytes || (checksumSha256 === null && isOlder) ? 0 : size
}

async function moveTo(part: string, path: string, overwrite: boolean): Promise<void> {
  if (overwrite) return await rename(part, path)
  try {
    // Unlike a rename, a link fails if the file exists.
    await link(part, path)
    await rm(part)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw taken(path, error)
    // The file system has no hard links.
    if (await lstat(path).catch(absent)) throw error
    await rename(part, path)
  }
}

/** Whether a local file already has the bytes of the file, as far as the hash is known. */
export async function hasBytesOf(
  { sizeBytes, checksumSha256 }: Contents,
  path: string,
  signal: AbortSignal,
): Promise<boolean> {
  const there = await lstat(path).catch(absent)
  if (!there?.isFile() || there.size !== sizeBytes || checksumSha256 === null) return false
  return (await hashFile(path, signal)) === checksumSha256
}

export function nameable(error: unknown): unknown {
  if ((error as NodeJS.ErrnoException).code !== 'ENAMETOOLONG') return error
  return new Error('The name is too long for this disk. Use --encode-names, or download the file with --output', { cause: error }) // biome-ignore format: one sentence
}
