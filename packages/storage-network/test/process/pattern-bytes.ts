const PIECE_BYTES = 64 * 1024

/** The same bytes for the same size. Every piece differs from the others. */
export async function* patternBytes(sizeBytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < sizeBytes; at += PIECE_BYTES) {
    const piece = Buffer.alloc(Math.min(PIECE_BYTES, sizeBytes - at), at % 251)
    if (piece.length >= 8) piece.writeDoubleLE(at, 0)
    yield piece
  }
}
