import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { bytesOf } from '@tideport/service-kit/http/take-bytes'
import type { Room } from '@tideport/service-kit/process/byte-share'

/** Bytes are copied into pieces of this size, or what a client sends one by one would each hold a buffer of its own. */
const PIECE_BYTES = 256 * 1024

export interface Content {
  pieces: readonly Buffer[]
  sizeBytes: number
  /** Lower-case hex. */
  sha256: string
}

interface ReadOptions {
  /** As the request says; null: unknown. */
  lengthBytes: number | null
  maxBytes: number
  stallMs: number
  room: Room
  tooLarge: () => Error
}

/**
 * The whole body of a request, with its SHA-256. A known length takes its room at once, an unknown one as it grows.
 * Throws what `room` throws, also when a faster sender gets it, `tooLarge` beyond `maxBytes`, 408 for a sender that stalls, and when the client goes.
 */
export async function readContent(request: IncomingMessage, options: ReadOptions): Promise<Content> {
  const { lengthBytes, maxBytes, stallMs, room, tooLarge } = options
  if (lengthBytes !== null) room.grow(lengthBytes)
  const hash = createHash('sha256')
  const pieces: Buffer[] = []
  let sizeBytes = 0
  let piece = Buffer.alloc(0)
  let filled = 0

  function nextPiece(): void {
    if (piece.length > 0) pieces.push(piece)
    hash.update(piece)
    const leftBytes = (lengthBytes ?? maxBytes) - sizeBytes
    piece = Buffer.allocUnsafeSlow(Math.min(PIECE_BYTES, Math.max(1, leftBytes)))
    filled = 0
    if (lengthBytes === null) room.grow(piece.length)
  }

  for await (const chunk of lengthBytes === 0 ? [] : bytesOf(request, stallMs, room.signal)) {
    if (sizeBytes + chunk.length > maxBytes) throw tooLarge()
    for (let taken = 0; taken < chunk.length; ) {
      if (filled === piece.length) nextPiece()
      const copied = chunk.copy(piece, filled, taken)
      taken += copied
      filled += copied
      sizeBytes += copied
    }
  }
  const last = piece.subarray(0, filled)
  if (filled > 0) pieces.push(last)
  return { pieces, sizeBytes, sha256: hash.update(last).digest('hex') }
}
