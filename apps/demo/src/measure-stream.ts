import { createHash } from 'node:crypto'
import type { Progress } from './progress.ts'

export interface Measured {
  sha256: string
  sizeBytes: number
}

/** Passes a stream on while hashing it and telling the progress; `done` settles once it was read to its end. */
export function measured(source: AsyncIterable<Uint8Array>, progress: Progress) {
  const hash = createHash('sha256')
  const { promise, resolve } = Promise.withResolvers<Measured>()
  let sizeBytes = 0
  async function* stream(): AsyncGenerator<Uint8Array> {
    for await (const bytes of source) {
      hash.update(bytes)
      sizeBytes += bytes.length
      progress.advance(sizeBytes)
      yield bytes
    }
    progress.finish()
    resolve({ sha256: hash.digest('hex'), sizeBytes })
  }
  return { stream: stream(), done: promise }
}

/** Reads a stream to its end. */
export async function measure(source: AsyncIterable<Uint8Array>, progress: Progress): Promise<Measured> {
  const { stream, done } = measured(source, progress)
  for await (const _ of stream);
  return await done
}
