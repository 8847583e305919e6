import { access, open } from 'node:fs/promises'
import { join } from 'node:path'
import { NetworkError } from '../errors.ts'
import type { Lane } from './disk-call-limiter.ts'

export const stagingDir = (dir: string): string => join(dir, 'staging')
export const blobDir = (dir: string, blobId: string): string => join(dir, blobId)
/** The content under one reference. The copy is committed if this file exists. */
export const entryPath = (dir: string, blobId: string, reference: string): string => join(dir, blobId, reference)
export const sidecarPath = (entry: string): string => `${entry}.dag`

const NO_SPACE = new Set(['ENOSPC', 'EDQUOT'])
/** Errors of the disk, never of one file. */
const OF_THE_DISK = new Set([
  'EROFS',
  'ENODEV',
  'ENXIO',
  'ENOTCONN',
  'EHOSTDOWN',
  'ETIMEDOUT',
  'EMFILE',
  'ENFILE',
  'ENOMEM',
])

/** Maps errors of a file system call to `no_space`, `copy_failed`, or `unreachable`. */
export async function onDisk<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (cause) {
    if (cause instanceof NetworkError) throw cause
    const code = errno(cause) ?? 'unknown'
    if (NO_SPACE.has(code))
      throw new NetworkError('no_space', 'the embedded network has no space for the bytes', { cause })
    if (OF_THE_DISK.has(code)) throw diskFailing(code, cause)
    throw new NetworkError('copy_failed', `the embedded network's disk failed for one copy (${code})`, { cause })
  }
}

export function diskFailing(what: string, cause?: unknown): NetworkError {
  return new NetworkError('unreachable', `the embedded network's disk is failing (${what})`, {
    cause,
    fault: 'failing',
  })
}

/** The result of a disk call (`onDisk`). Null: the file or its directory does not exist, or the directory is a file. */
export async function ifExists<T>(call: Promise<T>): Promise<T | null> {
  return onDisk(
    call.catch((cause: unknown) => {
      if (isNowhere(cause)) return null
      throw cause
    }),
  )
}

export function isNowhere(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errno(error) ?? '')
}

export async function doesExist(reads: Lane, path: string): Promise<boolean> {
  return (await ifExists(reads.run(() => access(path).then(() => true)))) !== null
}

export function errno(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
}

/** Makes created, renamed, and removed names in a directory survive a power failure. */
export async function syncDirectory(path: string): Promise<void> {
  await using handle = await open(path, 'r')
  await handle.sync()
}

export function noSuchCopy(): NetworkError {
  return new NetworkError('not_found', 'the embedded network does not have this copy')
}
