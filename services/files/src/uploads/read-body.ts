import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { DigestName, Digests } from '@tideport/digests/digest-names'
import { createDigester } from '@tideport/digests/digester'
import { bytesOf } from '@tideport/service-kit/http/streamed-body'
import { bodyPace } from '@tideport/service-kit/http/transfer'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { ByteShare, Room } from '@tideport/service-kit/process/byte-share'
import { digestsIn, digestsToKeep, type SentDigest } from './sent-digests.ts'

export interface Content {
  pieces: readonly Buffer[]
  sizeBytes: number
  /** Lower-case hex. */
  sha256: string
  /** Other digests to keep. */
  digests: Digests
}

/** A body to read, and the headers that describe it. */
export interface Announced {
  raw: IncomingMessage
  /** Null: chunked. */
  lengthBytes: number | null
  sent: readonly SentDigest[]
  /** Digests to keep in addition to the SHA-256. */
  kept: DigestName[]
}

export interface BodyDeps {
  /** Memory for all one-request uploads. */
  share: ByteShare
  config: { streamStallSeconds: number }
}

interface Bounds {
  maxBytes: number
  tooLarge: () => AppError
}

/** Headers that mean a part or a condition (RFC 9110 §14.5, §13.1). */
const UNSUPPORTED = ['content-range', 'if-unmodified-since']
/** Conditions of uploads to a path. */
const CONDITIONS = ['if-match', 'if-none-match']

/**
 * Throws 415 for compressed bodies, and 400 for parts, unsupported conditions, and invalid digests, because bytes are
 * stored as received.
 */
export function announcedBody(
  raw: IncomingMessage,
  { checksumSha256, hasConditions = false }: { checksumSha256?: string | undefined; hasConditions?: boolean } = {},
): Announced {
  const { headers } = raw
  const unheeded = [...UNSUPPORTED, ...(hasConditions ? [] : CONDITIONS)].find((name) => headers[name] !== undefined)
  if (unheeded !== undefined) {
    throw new AppError('validation_failed', `Uploads in one request do not support the ${unheeded} header`)
  }
  const { 'content-encoding': encoding = 'identity' } = headers
  if (encoding.toLowerCase() !== 'identity')
    throw new AppError(
      'unsupported_media_type',
      'Uploads do not support Content-Encoding. Send the bytes without compression.',
    )
  const sent = digestsIn(headers, checksumSha256)
  const isChunked = headers['transfer-encoding'] !== undefined
  const lengthBytes = isChunked ? null : Number(headers['content-length'] ?? 0)
  return { raw, lengthBytes, sent, kept: digestsToKeep(headers, sent) }
}

/**
 * Reads the body into the account's share of memory until `work` is done, which may `grow`. Throws 413 beyond
 * `maxBytes`, 429 or 503 without room, 408 for a stalled sender, and 400 for wrong digests.
 */
export async function withBody<T>(
  { share, config }: BodyDeps,
  accountId: string,
  { raw, lengthBytes, sent, kept }: Announced,
  { maxBytes, tooLarge }: Bounds,
  work: (content: Content, grow: (bytes: number) => void) => Promise<T>,
): Promise<T> {
  if ((lengthBytes ?? 0) > maxBytes) throw tooLarge()
  using room = share.open(accountId, bodyPace(raw))
  if (lengthBytes !== null) room.grow(lengthBytes)
  const chunks = lengthBytes === 0 ? [] : bytesOf(raw, config.streamStallSeconds * 1000, room.signal)
  const collected = await collect(chunks, { lengthBytes, maxBytes, room, tooLarge })
  const content = { ...collected, digests: await digestsOfPieces(kept, collected) }
  const all: Digests = { ...content.digests, sha256: Buffer.from(content.sha256, 'hex').toString('base64') }
  const wrong = [...new Set(sent.filter(({ name, base64 }) => base64 !== all[name]).map(({ where }) => where))]
  if (wrong.length > 0) {
    throw new AppError('digest_mismatch', 'The received bytes do not match a digest in the request', {
      details: { wrong, sha256: content.sha256 },
    })
  }
  return await work(content, (bytes) => room.grow(bytes))
}

type Collected = Omit<Content, 'digests'>

async function digestsOfPieces(names: DigestName[], { pieces, sizeBytes }: Collected): Promise<Digests> {
  if (names.length === 0) return {}
  const digester = await createDigester(names, sizeBytes)
  for (const piece of pieces) await digester.update(piece)
  return await digester.digest()
}

interface CollectOptions extends Bounds {
  lengthBytes: number | null
  room: Room
}

/** Pieces of this size, because each small chunk of a client would hold a buffer. */
const PIECE_BYTES = 256 * 1024

/** Memory for a known length is reserved already. */
async function collect(
  chunks: AsyncIterable<Buffer> | Iterable<Buffer>,
  { lengthBytes, maxBytes, room, tooLarge }: CollectOptions,
): Promise<Collected> {
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

  for await (const chunk of chunks) {
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
