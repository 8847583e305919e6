import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'

export const compressed = (bytes: AsyncIterable<Uint8Array | string>) => through(bytes, createGzip({ level: 3 }))
export const decompressed = (bytes: AsyncIterable<Uint8Array>) => through(bytes, createGunzip())

/** A failure of either stream destroys both, and the loop throws it. */
async function* through(
  bytes: AsyncIterable<Uint8Array | string>,
  transform: NodeJS.ReadWriteStream,
): AsyncGenerator<Buffer, void> {
  const done = pipeline(Readable.from(bytes), transform)
  done.catch(() => undefined)
  for await (const chunk of transform) yield chunk as Buffer
  await done
}
