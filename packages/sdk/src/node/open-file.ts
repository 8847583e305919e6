import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import type { Bytes } from '../client/put-bytes.ts'
import { SourceChangedError } from '../errors/transfer-errors.ts'
import type { Spooled } from '../transfer/upload-options.ts'

export interface OpenFile extends Spooled {
  readonly name: string
  readonly lastModified: number
  slice(start: number, end: number): Promise<Bytes>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Files up to this size are read completely on opening, which verifies their size. */
const PROBED_BYTES = 64 * 1024
/** Maximum number of bytes read into memory from a file with a false size. */
const UNSIZED_BYTES_MAX = 16 * 1024 ** 2

/**
 * Opens a local file for an upload. Only parts in transit are in memory. Files with a false size, as in `/proc`, are
 * read completely if small, and fail otherwise. Rejects like `fs.open`, or with a `SourceChangedError`.
 */
export async function openFile(path: string): Promise<OpenFile> {
  // Opening a pipe must not wait for its writer. Windows does not support the flag.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new TypeError(`${path} is not a file`)
    const refuseChanged = async () => {
      const now = await handle.stat()
      if (now.mtimeMs !== stats.mtimeMs || now.size !== stats.size)
        throw new SourceChangedError(`${basename(path)} changed during the upload`)
    }
    const about = { name: basename(path), lastModified: stats.mtimeMs, close: () => handle.close(), [Symbol.asyncDispose]: () => handle.close() } // biome-ignore format: one record
    const unsized = stats.size <= PROBED_BYTES ? await readUnsized(handle, path, stats.size) : null
    if (unsized) {
      await refuseChanged()
      return { ...about, size: unsized.length, slice: async (start, end) => unsized.subarray(start, end) }
    }
    return {
      ...about,
      size: stats.size,
      async slice(start, end) {
        await refuseChanged()
        const bytes = await readAt(handle, start, end)
        if (end === stats.size && (await readAt(handle, end, end + 1)).length > 0)
          throw new SourceChangedError(`${basename(path)} contains more bytes than its size of ${end}`)
        await refuseChanged()
        return bytes
      },
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

async function readUnsized(handle: FileHandle, path: string, size: number): Promise<Bytes | null> {
  const head = await readAt(handle, 0, size + 1)
  if (head.length === size) return null
  if (head.length < size) return head
  const all = await readAt(handle, 0, UNSIZED_BYTES_MAX + 1)
  if (all.length <= UNSIZED_BYTES_MAX) return all
  throw new SourceChangedError(
    `${path} reports a size of ${size} bytes, but contains more than ${UNSIZED_BYTES_MAX}. Upload a copy of the file`,
  )
}

async function readAt(handle: FileHandle, start: number, end: number): Promise<Bytes> {
  const bytes = new Uint8Array(end - start)
  let filled = 0
  while (filled < bytes.length) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled)
    if (bytesRead === 0) break
    filled += bytesRead
  }
  return bytes.subarray(0, filled)
}
