import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { FileRecord } from '@tideport/sdk'
import type { Context } from '../grammar/context.ts'
import { hashFile } from '../local/hash-file.ts'
import { replaceFile } from '../local/replace-file.ts'
import type { LocalFile } from '../local/walk-files.ts'
import { type Contents, hashContents } from '../private/read-contents.ts'
import { stateDirectory } from '../profile/directories.ts'

/** A write within the same clock tick as the hash would be invisible afterwards. */
const SETTLED_MS = 2000

interface Kept {
  /** Local files: their state when they were hashed. Every write changes the ctime. */
  local: Record<string, { seen: string; sha256: string }>
  /** Remote files whose hash the service does not know yet. Their bytes never change. */
  remote: Record<string, string>
}

/** SHA-256 of files on both sides, cached for the next run. Losing the cache costs only time. */
export async function openHashes({ environment, output }: Pick<Context, 'environment' | 'output'>, root: string) {
  const name = createHash('sha256').update(root).digest('hex').slice(0, 32)
  const path = join(stateDirectory(environment), 'hashes', `${name}.json`)
  const before = await read(path)
  const now: Kept = { local: {}, remote: {} }

  return {
    async ofLocal(file: LocalFile, signal: AbortSignal): Promise<string> {
      const seen = lookOf(file)
      const known = before.local[file.name]
      const sha256 = known?.seen === seen ? known.sha256 : await hashStill(file, signal)
      if (Date.now() - file.ctimeMs > SETTLED_MS) now.local[file.name] = { seen, sha256 }
      return sha256
    },
    /** Reads the bytes once if the service has no hash. */
    async ofRemote(file: FileRecord, contents: Contents, signal: AbortSignal): Promise<string> {
      if (contents.checksumSha256 !== null) return contents.checksumSha256
      const sha256 = before.remote[file.id] ?? (await hashContents(contents, signal))
      now.remote[file.id] = sha256
      return sha256
    },
    downloaded(fileId: string, sha256: string): void {
      now.remote[fileId] = sha256
    },
    /** Records the hash of an uploaded file, unless the file has changed since it was hashed. */
    async uploaded(fileId: string, file: Omit<LocalFile, 'name'>, sha256: string): Promise<void> {
      const seen = await lookAt(file.path).catch(() => null)
      if (seen === lookOf(file)) now.remote[fileId] = sha256
    },
    keep: () =>
      replaceFile(path, JSON.stringify(now)).catch(({ message }: Error) =>
        output.complaint(`The file hashes could not be saved (${message}). The next sync computes them again`),
      ),
  }
}

export type Hashes = Awaited<ReturnType<typeof openHashes>>

type Look = Pick<LocalFile, 'size' | 'mtimeMs' | 'ctimeMs' | 'inode'>

const lookOf = ({ size, mtimeMs, ctimeMs, inode }: Look) => [size, mtimeMs, ctimeMs, inode].join(' ')

async function lookAt(path: string): Promise<string> {
  const { size, mtimeMs, ctimeMs, ino: inode } = await stat(path)
  return lookOf({ size, mtimeMs, ctimeMs, inode })
}

/** Rejects with a sentence if the file changes during the hash. */
async function hashStill(file: LocalFile, signal: AbortSignal): Promise<string> {
  const sha256 = await hashFile(file.path, signal)
  if ((await lookAt(file.path)) === lookOf(file)) return sha256
  throw new Error(`${file.path} changed while it was read. Run the command again`)
}

async function read(path: string): Promise<Kept> {
  try {
    const { local, remote } = JSON.parse(await readFile(path, 'utf8')) as Partial<Kept>
    return { local: { ...local }, remote: { ...remote } }
  } catch {
    return { local: {}, remote: {} }
  }
}
