import { createHash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { invalidInput } from '@tideport/service-kit/http/invalid-input'
import { bytesOf } from '@tideport/service-kit/http/streamed-body'
import { bodyPace } from '@tideport/service-kit/http/transfer'
import { AppError } from '@tideport/service-kit/process/app-error'
import type { ByteShare, Room } from '@tideport/service-kit/process/byte-share'

export interface Content {
  pieces: readonly Buffer[]
  sizeBytes: number
  /** Lower-case hex. */
  sha256: string
}

/** A body to read, and the headers that describe it. */
export interface Announced {
  raw: IncomingMessage
  /** Null: chunked. */
  lengthBytes: number | null
  digests: readonly [where: string, sha256: string][]
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

/** Headers that mean a part or a condition (RFC 9110 §14.5, §13.1), which uploads do not support. */
const UNHEEDED = ['content-range', 'if-match', 'if-none-match', 'if-unmodified-since'] as const

/**
 * Throws 415 for compressed bodies, and 400 for parts, conditions, and invalid digests, because bytes are stored as
 * received.
 */
export function announcedBody(raw: IncomingMessage, checksumSha256?: string): Announced {
  const { headers } = raw
  const unheeded = UNHEEDED.find((name) => headers[name] !== undefined)
  if (unheeded !== undefined) {
    throw new AppError('validation_failed', `Uploads in one request do not support the ${unheeded} header`)
  }
  const { 'content-encoding': encoding = 'identity' } = headers
  if (encoding.toLowerCase() !== 'identity')
    throw new AppError(
      'unsupported_media_type',
      'Uploads do not support Content-Encoding. Send the bytes without compression.',
    )
  const digests = digestsIn(headers, checksumSha256)
  const isChunked = headers['transfer-encoding'] !== undefined
  return { raw, lengthBytes: isChunked ? null : Number(headers['content-length'] ?? 0), digests }
}

/**
 * Reads the body into the account's share of memory until `work` is done, which may `grow`. Throws 413 beyond
 * `maxBytes`, 429 or 503 without room, 408 for a stalled sender, and 400 for wrong digests.
 */
export async function withBody<T>(
  { share, config }: BodyDeps,
  accountId: string,
  { raw, lengthBytes, digests }: Announced,
  { maxBytes, tooLarge }: Bounds,
  work: (content: Content, grow: (bytes: number) => void) => Promise<T>,
): Promise<T> {
  if ((lengthBytes ?? 0) > maxBytes) throw tooLarge()
  using room = share.open(accountId, bodyPace(raw))
  if (lengthBytes !== null) room.grow(lengthBytes)
  const chunks = lengthBytes === 0 ? [] : bytesOf(raw, config.streamStallSeconds * 1000, room.signal)
  const content = await collect(chunks, { lengthBytes, maxBytes, room, tooLarge })
  const wrong = digests.filter(([, sha256]) => sha256 !== content.sha256).map(([where]) => where)
  if (wrong.length > 0) {
    throw new AppError(
      'digest_mismatch',
      'The SHA-256 of the received bytes does not match the digest in the request',
      {
        details: { wrong, sha256: content.sha256 },
      },
    )
  }
  return await work(content, (bytes) => room.grow(bytes))
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
): Promise<Content> {
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

const SHA256_BYTES = 32
/** RFC 8941: `key` or `key=:base64:`, with ignored parameters. */
const MEMBER = /^([a-z*][a-z0-9_.*-]*)=:([A-Za-z0-9+/]*={0,2}):(?:;[^,]*)?$/

/** Digests by the place where the client sent them. */
function digestsIn(headers: IncomingMessage['headers'], checksumSha256?: string): Announced['digests'] {
  const named = (['content-digest', 'repr-digest'] as const).map((name): [string, string | null] => {
    const header = headers[name]
    return [name, header === undefined ? null : sha256In(String(header), name)]
  })
  const all: [string, string | null][] = [...named, ['checksumSha256', checksumSha256?.toLowerCase() ?? null]]
  return all.filter((one): one is [string, string] => one[1] !== null)
}

/**
 * The last SHA-256 (lower-case hex) of `Content-Digest` or `Repr-Digest` (RFC 9530); null: other algorithms. Throws 400
 * for an invalid header.
 */
function sha256In(header: string, path: string): string | null {
  let found: string | null = null
  for (const text of header.split(',')) {
    const [, algorithm, base64 = ''] = MEMBER.exec(text.trim()) ?? []
    if (algorithm === undefined) throw malformed(path)
    if (algorithm !== 'sha-256') continue
    const digest = Buffer.from(base64, 'base64')
    if (digest.length !== SHA256_BYTES) throw malformed(path)
    found = digest.toString('hex')
  }
  return found
}

function malformed(path: string): AppError {
  const message = 'Must have the form sha-256=:<base64>: (RFC 9530)'
  return invalidInput('headers', [{ path, message }])
}
