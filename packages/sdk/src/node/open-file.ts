import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { SourceChangedError } from '../errors/transfer-errors.ts'
import type { Bytes } from '../transfer/put-bytes.ts'
import type { Spooled } from '../transfer/upload-options.ts'

/** A file of this machine that is open for reading. */
export interface OpenFile extends Spooled {
  readonly name: string
  readonly lastModified: number
  slice(start: number, end: number): Promise<Bytes>
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** Opens a file to upload. A part is in memory only while it is under way. Rejects as `fs.open` does. */
export async function openFile(path: string): Promise<OpenFile> {
  // Nobody waits here for whoever would write to a pipe. Windows does not know the flag.
  const handle = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = await handle.stat()
    if (!stats.isFile()) throw new TypeError(`${path} is not a file`)
    return {
      name: basename(path),
      size: stats.size,
      lastModified: stats.mtimeMs,
      async slice(start, end) {
        const now = await handle.stat()
        if (now.mtimeMs !== stats.mtimeMs || now.size !== stats.size) {
          throw new SourceChangedError(`${basename(path)} was changed while it was uploaded`)
        }
        return await readAt(handle, start, end)
      },
      close: () => handle.close(),
      [Symbol.asyncDispose]: () => handle.close(),
    }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Fewer bytes than asked for where the file ends. */
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
