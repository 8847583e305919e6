import { createHash, type Hash, randomUUID } from 'node:crypto'
import { link, mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { ChecksumError, type Client, download, type FileRecord } from '@tideport/sdk'
import { hashFile, hashInto } from '../local/hash-file.ts'
import { lockFile } from '../local/lock-file.ts'
import { absent } from '../profile/profiles.ts'

/** From here on what has arrived is kept when a download is cut off. */
const KEPT_BYTES = 16 * 1024 ** 2

export interface DownloadTarget {
  path: string
  /** A file that is there is replaced; else it stays, and the download fails. */
  overwrite: boolean
  signal: AbortSignal
  onMoved?: (bytes: number) => void
}

/**
 * Brings a file's bytes to a path of this machine; its SHA-256. There is all of it or nothing: bytes are written beside
 * it, compared, and moved there at the end. A large file that was cut off is gone on with.
 */
export async function downloadFile(client: Client, file: FileRecord, target: DownloadTarget): Promise<string> {
  const { path } = target
  await mkdir(dirname(path), { recursive: true })
  const isKept = file.sizeBytes >= KEPT_BYTES
  const part = join(dirname(path), `.tideport-${isKept ? file.id : randomUUID()}.part`)
  await using _lock = isKept ? await lockFile(`${part}.lock`) : null
  try {
    const sha256 = await fetchInto(client, file, part, target)
    await moveTo(part, target)
    return sha256
  } catch (error) {
    // The bytes are wrong, or not worth keeping.
    if (!isKept || error instanceof ChecksumError) await rm(part, { force: true })
    throw error
  }
}

async function fetchInto(client: Client, file: FileRecord, part: string, { signal, onMoved }: DownloadTarget) {
  const there = await stat(part).catch(absent)
  const start = Math.min(there?.size ?? 0, file.sizeBytes)
  await using handle = await open(part, 'a', 0o666)
  if (there && there.size > file.sizeBytes) await handle.truncate(0)
  const begin = there && there.size > file.sizeBytes ? 0 : start
  const hash: Hash = createHash('sha256')
  if (begin > 0) await hashInto(hash, part, signal)
  let moved = begin
  const { body } = await download(client, file, { start: begin, signal })
  for await (const chunk of body) {
    await handle.writeFile(chunk)
    hash.update(chunk)
    moved += chunk.length
    onMoved?.(moved)
  }
  const sha256 = hash.digest('hex')
  if (moved !== file.sizeBytes || (file.checksumSha256 ?? sha256) !== sha256) {
    throw new ChecksumError('The bytes are not those that were stored')
  }
  await handle.datasync()
  return sha256
}

async function moveTo(part: string, { path, overwrite }: DownloadTarget): Promise<void> {
  if (overwrite) return await rename(part, path)
  try {
    // Unlike a rename it fails where a file is.
    await link(part, path)
    await rm(part)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw new Error(`${path} is there already: --overwrite replaces it`, { cause: error })
    // A file system without links.
    if (await stat(path).catch(absent)) throw error
    await rename(part, path)
  }
}

/** Whether a path of this machine has the bytes of a file already, as far as the service knows them. */
export async function hasBytesOf(file: FileRecord, path: string, signal: AbortSignal): Promise<boolean> {
  const there = await stat(path).catch(absent)
  if (!there?.isFile() || there.size !== file.sizeBytes || file.checksumSha256 === null) return false
  return (await hashFile(path, signal)) === file.checksumSha256
}
