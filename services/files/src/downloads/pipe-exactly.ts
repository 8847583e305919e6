import type { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'

/**
 * Gives a reader a body of this length, and ends the answer. Any failure, and a body that is too short or too long,
 * destroys the connection, so a truncated file never looks complete. Resolves also when the reader has gone, before or
 * meanwhile; then nothing more is read for it. Throws what is not the reader's doing.
 */
export async function pipeExactly(body: Readable, lengthBytes: number, reader: Writable): Promise<void> {
  // A body that begins to flow without a reader flows to its end, and `pipeline` leaves it to that.
  if (reader.destroyed) return void body.destroy()
  let leftBytes = lengthBytes
  body.on('data', (chunk: Buffer) => {
    leftBytes -= chunk.length
    if (leftBytes < 0) reader.destroy()
  })
  const failure = await pipeline(body, reader, { end: false }).catch((error: unknown) => error)
  if (leftBytes < 0) throw new Error('There are more bytes than the file has')
  // What fails after the reader has gone failed because of that.
  if (reader.destroyed) return
  if (failure === undefined && leftBytes === 0) return void reader.end()
  reader.destroy()
  throw failure ?? new Error(`The last ${leftBytes} bytes are missing`)
}
