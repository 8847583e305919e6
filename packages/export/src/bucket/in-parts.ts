/** Ten thousand of them are more than the largest file there can be. */
export const PART_BYTES = 8 * 1024 ** 2

/** The pieces of each part, which are all of the same length but the last, as some stores want them. They are held until the part was sent. */
export async function* inParts(body: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer[]> {
  let pieces: Buffer[] = []
  let room = PART_BYTES
  for await (const chunk of body) {
    for (let from = 0; from < chunk.length; ) {
      const piece = chunk.subarray(from, from + room)
      pieces.push(Buffer.from(piece.buffer, piece.byteOffset, piece.length))
      from += piece.length
      room -= piece.length
      if (room > 0) continue
      yield pieces
      pieces = []
      room = PART_BYTES
    }
  }
  if (pieces.length > 0) yield pieces
}
