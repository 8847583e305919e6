import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Client, download, type FileRecord } from '@tideport/sdk'
import type { Environment } from '../grammar/context.ts'
import { hashFile } from '../local/hash-file.ts'
import { replaceFile } from '../local/replace-file.ts'
import type { LocalFile } from '../local/walk-files.ts'
import { stateDirectory } from '../profile/directories.ts'
import { absent } from '../profile/profiles.ts'

/** A file that was written to in the tick of its hash would look the same afterwards. */
const SETTLED_MS = 2000

interface Kept {
  /** Of files here: what they were when they were hashed. Every write changes the ctime. */
  local: Record<string, { seen: string; sha256: string }>
  /** Of files of the service whose hash it does not tell yet. Their bytes never change. */
  remote: Record<string, string>
}

/**
 * The SHA-256 of files on both sides. What was found out is kept for the next run with this folder: losing it costs time
 * and nothing else.
 */
export async function openHashes(environment: Environment, root: string) {
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
    /** Reads the bytes where nobody knows their hash: once. */
    async ofRemote(client: Client, file: FileRecord, signal: AbortSignal): Promise<string> {
      if (file.checksumSha256 !== null) return file.checksumSha256
      const sha256 = before.remote[file.id] ?? (await hashRemote(client, file, signal))
      now.remote[file.id] = sha256
      return sha256
    },
    /** A file that we have uploaded. */
    uploaded(fileId: string, sha256: string): void {
      now.remote[fileId] = sha256
    },
    /** For the next run. */
    keep: () => replaceFile(path, JSON.stringify(now)),
  }
}

export type Hashes = Awaited<ReturnType<typeof openHashes>>

const lookOf = ({ size, mtimeMs, ctimeMs, inode }: LocalFile) => [size, mtimeMs, ctimeMs, inode].join(' ')

/** Rejects with a sentence if the file is changed meanwhile. */
async function hashStill(file: LocalFile, signal: AbortSignal): Promise<string> {
  const sha256 = await hashFile(file.path, signal)
  const { size, mtimeMs, ctimeMs, ino: inode } = await stat(file.path)
  if (lookOf({ ...file, size, mtimeMs, ctimeMs, inode }) === lookOf(file)) return sha256
  throw new Error(`${file.path} is being changed`)
}

async function hashRemote(client: Client, file: FileRecord, signal: AbortSignal): Promise<string> {
  const hash = createHash('sha256')
  const { body } = await download(client, file, { signal })
  for await (const chunk of body) hash.update(chunk)
  return hash.digest('hex')
}

async function read(path: string): Promise<Kept> {
  try {
    const { local, remote } = JSON.parse((await readFile(path, 'utf8').catch(absent)) ?? '{}') as Partial<Kept>
    return { local: { ...local }, remote: { ...remote } }
  } catch {
    return { local: {}, remote: {} }
  }
}
