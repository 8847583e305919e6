/** Ten thousand parts exceed the largest file. */
export const PART_BYTES = 8 * 1024 ** 2

/** Parts of equal length but the last, as some stores require. A part stays in memory until it was sent. */
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
