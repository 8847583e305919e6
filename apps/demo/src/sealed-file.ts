import { createCipheriv, createDecipheriv } from 'node:crypto'

/**
 * The client-side format for files in private vaults: AES-256-GCM in chunks of 1 MiB of plaintext. Nonce = 8 random
 * bytes + 4-byte big-endian chunk number; additional data = chunk number + last-chunk flag; each chunk is followed by
 * its 16-byte tag. So it streams at constant memory and cannot be truncated or reordered unseen.
 */

export const CHUNK_BYTES = 1024 * 1024
export const NONCE_PREFIX_BYTES = 8
const TAG_BYTES = 16

/** Size of the sealed form. An empty file is one empty chunk with its tag. */
export function sealedSizeBytes(plaintextSizeBytes: number): number {
  return plaintextSizeBytes + Math.max(1, Math.ceil(plaintextSizeBytes / CHUNK_BYTES)) * TAG_BYTES
}

/** Encrypts a stream of plaintext. `noncePrefix` must never be used twice with the same key. */
export async function* seal(
  plaintext: AsyncIterable<Uint8Array>,
  key: Uint8Array,
  noncePrefix: Uint8Array,
): AsyncGenerator<Buffer> {
  for await (const { bytes, number, isLast } of inPieces(plaintext, CHUNK_BYTES)) {
    const cipher = createCipheriv('aes-256-gcm', key, nonce(noncePrefix, number))
    cipher.setAAD(additionalData(number, isLast))
    yield Buffer.concat([cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
  }
}

/** Decrypts what `seal` made. Throws when a byte was changed, or chunks are missing, added or out of order. */
export async function* open(
  sealed: AsyncIterable<Uint8Array>,
  key: Uint8Array,
  noncePrefix: Uint8Array,
): AsyncGenerator<Buffer> {
  for await (const { bytes, number, isLast } of inPieces(sealed, CHUNK_BYTES + TAG_BYTES)) {
    if (bytes.length < TAG_BYTES) throw new Error('The sealed file is cut off')
    const decipher = createDecipheriv('aes-256-gcm', key, nonce(noncePrefix, number))
    decipher.setAAD(additionalData(number, isLast))
    decipher.setAuthTag(bytes.subarray(bytes.length - TAG_BYTES))
    yield Buffer.concat([decipher.update(bytes.subarray(0, bytes.length - TAG_BYTES)), decipher.final()])
  }
}

function nonce(prefix: Uint8Array, chunkNumber: number): Buffer {
  const bytes = Buffer.alloc(12)
  bytes.set(prefix)
  bytes.writeUInt32BE(chunkNumber, NONCE_PREFIX_BYTES)
  return bytes
}

function additionalData(chunkNumber: number, isLast: boolean): Buffer {
  const bytes = Buffer.alloc(5)
  bytes.writeUInt32BE(chunkNumber)
  bytes[4] = isLast ? 1 : 0
  return bytes
}

/** Cuts a stream into pieces of one size; the last may be shorter, and an empty stream is one empty piece. */
async function* inPieces(
  stream: AsyncIterable<Uint8Array>,
  pieceBytes: number,
): AsyncGenerator<{ bytes: Buffer; number: number; isLast: boolean }> {
  let waiting: Uint8Array[] = []
  let waitingBytes = 0
  let number = 0
  for await (const received of stream) {
    waiting.push(received)
    waitingBytes += received.length
    // A piece that is just full may be the last one: that is known only when more arrives.
    if (waitingBytes <= pieceBytes) continue
    let rest = Buffer.concat(waiting)
    for (; rest.length > pieceBytes; rest = rest.subarray(pieceBytes)) {
      yield { bytes: rest.subarray(0, pieceBytes), number: number++, isLast: false }
    }
    waiting = [rest]
    waitingBytes = rest.length
  }
  yield { bytes: Buffer.concat(waiting), number, isLast: true }
}
