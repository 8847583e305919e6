import { createWriteStream } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { chunksOf } from '../transfer/cut-stream.ts'
import type { Stream } from '../transfer/source.ts'
import type { Spooled } from '../transfer/upload-options.ts'
import { openFile } from './open-file.ts'

/**
 * A `spool` for uploads: writes the stream to a temporary file that only this user can read. The file is deleted after
 * the upload. Rejects like the stream, or with the signal's reason.
 */
export async function spoolToDisk(stream: Stream, signal: AbortSignal): Promise<Spooled> {
  const directory = await mkdtemp(join(tmpdir(), 'tideport-'))
  const remove = () => rm(directory, { recursive: true, force: true })
  try {
    const path = join(directory, 'spooled')
    await pipeline(Readable.from(chunksOf(stream, signal)), createWriteStream(path, { mode: 0o600 }), { signal })
    const { name: _, close, ...file } = await openFile(path)
    return {
      ...file,
      async remove() {
        await close()
        await remove()
      },
    }
  } catch (error) {
    await remove()
    signal.throwIfAborted()
    throw error
  }
}
