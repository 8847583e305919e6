import { sidecarBytesMax } from '../verified/sidecar.ts'
import { sidecarPath } from './disk.ts'
import type { Lane } from './disk-call-limiter.ts'
import { openFile } from './open-file.ts'

/**
 * Null: the sidecar does not exist. If it is not a file, or longer than any sidecar for this size, it is not read and
 * counts as empty.
 */
export async function readSidecar(reads: Lane, entry: string, sizeBytes: number): Promise<Buffer | null> {
  await using file = await openFile(reads, sidecarPath(entry))
  if (file === null) return null
  const found = await file.stat()
  if (!found.isFile() || found.size > sidecarBytesMax(sizeBytes)) return Buffer.alloc(0)
  return await file.readAll()
}
