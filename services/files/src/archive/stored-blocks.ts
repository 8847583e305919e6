/**
 * DEFLATE without compression (RFC 1951 §3.2.4): five bytes before each 65,535, so sizes alone determine every offset.
 */

const BLOCK_BYTES = 0xffff
const HEADER_BYTES = 5
const STEP = HEADER_BYTES + BLOCK_BYTES

/** Length of the blocks of a file with this many bytes. An empty file has no blocks. */
export function blocksLength(sizeBytes: number): number {
  return sizeBytes + HEADER_BYTES * Math.ceil(sizeBytes / BLOCK_BYTES)
}

export function bytesBefore(at: number): number {
  return Math.floor(at / STEP) * BLOCK_BYTES + Math.max(0, (at % STEP) - HEADER_BYTES)
}

/** The rest of the header at this offset. Empty inside the file's own bytes. */
export function headerFrom(sizeBytes: number, at: number): Buffer {
  const within = at % STEP
  if (within >= HEADER_BYTES) return Buffer.alloc(0)
  const left = sizeBytes - bytesBefore(at)
  const length = Math.min(left, BLOCK_BYTES)
  const header = Buffer.alloc(HEADER_BYTES)
  header.writeUInt8(length === left ? 1 : 0, 0)
  header.writeUInt16LE(length, 1)
  header.writeUInt16LE(~length & 0xffff, 3)
  return header.subarray(within)
}

export function* inBlocks(bytes: Buffer, { sizeBytes, at }: { sizeBytes: number; at: number }): Generator<Buffer> {
  for (let done = 0; done < bytes.length; ) {
    const header = headerFrom(sizeBytes, at)
    if (header.length > 0) yield header
    at += header.length
    const piece = bytes.subarray(done, done + STEP - (at % STEP))
    yield piece
    done += piece.length
    at += piece.length
  }
}
