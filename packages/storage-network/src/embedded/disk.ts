import { access, open } from 'node:fs/promises'
import { join } from 'node:path'
import { NetworkError } from '../errors.ts'
import { parseCid } from '../unixfs/cid.ts'

const FILE_ID = /^[A-Za-z0-9_-]{1,128}$/

export const stagingDir = (dir: string): string => join(dir, 'staging')
export const blobDir = (dir: string, blobId: string): string => join(dir, blobId)
/** The content under one file's reference; its presence is the commit. */
export const entryPath = (dir: string, blobId: string, fileId: string): string => join(dir, blobId, fileId)
export const sidecarPath = (entry: string): string => `${entry}.dag`

/** File ids become names of files, so nothing else may pass. */
export function assertFileId(fileId: string): void {
  if (!FILE_ID.test(fileId)) throw new NetworkError('refused', 'a file id is 1 to 128 letters, digits, "-" or "_"')
}

export const isBlobId = (text: string): boolean => parseCid(text) !== null
export const isFileId = (text: string): boolean => FILE_ID.test(text)

/**
 * Awaits a file system call; what it throws becomes `unreachable`. A full or broken disk is the network being down,
 * not a fault of the file at hand.
 */
export async function onDisk<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (cause) {
    throw new NetworkError('unreachable', `the embedded network's disk failed (${errno(cause) ?? 'unknown'})`, {
      cause,
    })
  }
}

/** As `onDisk`, but null when the file or its directory does not exist. */
export async function ifExists<T>(call: Promise<T>): Promise<T | null> {
  return onDisk(
    call.catch((cause: unknown) => {
      if (errno(cause) === 'ENOENT') return null
      throw cause
    }),
  )
}

export function errno(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined
}

/** Makes created, renamed and removed names in a directory survive a power cut. */
export async function syncDirectory(path: string): Promise<void> {
  await using handle = await open(path, 'r')
  await handle.sync()
}

export function noSuchCopy(): NetworkError {
  return new NetworkError('not_found', 'the embedded network holds no such copy')
}

/**
 * "There is no such copy" counts only when the directory itself is there: a volume that is not mounted must look
 * unreachable, never like lost copies.
 */
export async function assertDirectoryIsThere(dir: string): Promise<void> {
  await onDisk(access(stagingDir(dir)))
}
