import { ChangedBytesError, ChangedRecordError, UnknownFormatError } from './decryption-errors.ts'

/**
 * FLOE (c2sp.org/FLOE): AES-256-GCM in segments with keys by HKDF-Expand-SHA-384, in WebCrypto only. Segments can be
 * encrypted and decrypted in any order. The tag of the header commits to the key.
 */
export type Bytes = Uint8Array<ArrayBuffer>

/** The global type CryptoKey does not exist on every platform. */
export type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

export const HEADER_BYTES = 10 + 32 + 32
/** Length, nonce, and tag of each segment. */
export const OVERHEAD_BYTES = 4 + 12 + 16
const NOT_LAST = 0xffffffff
/** A key encrypts 2^20 segments, then the next key is derived. */
const ROTATION = 2 ** 20

export interface Floe {
  readonly header: Bytes
  /**
   * Each call uses a new nonce, so a segment may be encrypted again. `plaintext` fills the segment unless it is the
   * last.
   */
  encrypt(plaintext: Uint8Array, position: number, isLast: boolean): Promise<Bytes>
  decrypt(segment: Uint8Array, position: number, isLast: boolean): Promise<Bytes>
}

/** `segmentBytes` is the size of an encrypted segment. */
export async function startEncryption(key: Bytes, aad: Bytes, segmentBytes: number): Promise<Floe> {
  const iv = crypto.getRandomValues(new Uint8Array(32))
  const derive = await deriver(key, parameters(segmentBytes), iv, aad)
  return await floeOf(join(parameters(segmentBytes), iv, await derive('HEADER_TAG:', 32)), derive, aad, segmentBytes)
}

/** Rejects with a `DecryptionError` unless this key, context, and segment size created the header. */
export async function startDecryption(key: Bytes, aad: Bytes, segmentBytes: number, header: Bytes): Promise<Floe> {
  const expected = parameters(segmentBytes)
  if (header.length !== HEADER_BYTES || !isSame(header.subarray(0, 10), expected))
    throw new UnknownFormatError('The header has an unknown format')
  const derive = await deriver(key, expected, header.slice(10, 42), aad)
  if (!isSame(header.subarray(42), await derive('HEADER_TAG:', 32)))
    throw new ChangedRecordError('The key does not match, or the header was modified')
  return await floeOf(header, derive, aad, segmentBytes)
}

async function floeOf(header: Bytes, derive: Derive, aad: Bytes, segmentBytes: number): Promise<Floe> {
  const messageKey = await derive('MESSAGE_KEY:', 48)
  const deriveKey = await deriver(messageKey, parameters(segmentBytes), header.slice(10, 42), aad)
  const keys = new Map<number, Promise<Key>>()

  function keyAt(position: number): Promise<Key> {
    const from = Math.floor(position / ROTATION) * ROTATION
    const key = keys.get(from) ?? segmentKey(from)
    keys.set(from, key)
    return key
  }
  async function segmentKey(from: number): Promise<Key> {
    const raw = await deriveKey(join(ascii('DEK:'), bigEndian8(from)), 32)
    return await crypto.subtle.importKey('raw', raw, 'AES-GCM', false, ['encrypt', 'decrypt'])
  }
  const algorithm = (iv: Bytes, position: number, isLast: boolean) => {
    return { name: 'AES-GCM', iv, additionalData: join(bigEndian8(position), Uint8Array.of(isLast ? 1 : 0)) }
  }

  return {
    header,
    async encrypt(plaintext, position, isLast) {
      const room = segmentBytes - OVERHEAD_BYTES
      if (isLast ? plaintext.length > room : plaintext.length !== room)
        throw new RangeError('Every segment except the last must be full')
      const iv = crypto.getRandomValues(new Uint8Array(12))
      const sealed = await crypto.subtle.encrypt(
        algorithm(iv, position, isLast),
        await keyAt(position),
        plaintext as Bytes,
      )
      const length = bigEndian4(isLast ? plaintext.length + OVERHEAD_BYTES : NOT_LAST)
      return join(length, iv, new Uint8Array(sealed))
    },
    async decrypt(segment, position, isLast) {
      const fits = isLast
        ? segment.length >= OVERHEAD_BYTES && segment.length <= segmentBytes
        : segment.length === segmentBytes
      if (!fits || !isSame(segment.subarray(0, 4), bigEndian4(isLast ? segment.length : NOT_LAST))) {
        throw new ChangedBytesError('The bytes are truncated or out of order')
      }
      const iv = segment.slice(4, 16) as Bytes
      try {
        const plaintext = await crypto.subtle.decrypt(
          algorithm(iv, position, isLast),
          await keyAt(position),
          segment.slice(16) as Bytes,
        )
        return new Uint8Array(plaintext)
      } catch {
        throw new ChangedBytesError('The bytes were modified')
      }
    },
  }
}

type Derive = (purpose: string | Bytes, length: number) => Promise<Bytes>

/** HKDF-Expand of at most one block, which is one HMAC. The HKDF of WebCrypto would also extract. */
async function deriver(key: Bytes, encoded: Bytes, iv: Bytes, aad: Bytes): Promise<Derive> {
  const hmac = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-384' }, false, ['sign'])
  return async (purpose, length) => {
    const info = join(encoded, iv, typeof purpose === 'string' ? ascii(purpose) : purpose, aad, Uint8Array.of(1))
    return new Uint8Array(await crypto.subtle.sign('HMAC', hmac, info)).slice(0, length)
  }
}

/** AES-256-GCM, HKDF-Expand-SHA-384, segment size, and IV size. */
const parameters = (segmentBytes: number): Bytes => join(Uint8Array.of(0, 0), bigEndian4(segmentBytes), bigEndian4(32))

export function join(...parts: Uint8Array[]): Bytes {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

export const ascii = (text: string): Bytes => new TextEncoder().encode(text)

/** Compares in constant time. */
export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false
  return a.reduce((differ, byte, index) => differ | (byte ^ (b[index] as number)), 0) === 0
}

function bigEndian4(value: number): Bytes {
  const bytes = new Uint8Array(4)
  new DataView(bytes.buffer).setUint32(0, value)
  return bytes
}

export function bigEndian8(value: number): Bytes {
  const bytes = new Uint8Array(8)
  new DataView(bytes.buffer).setBigUint64(0, BigInt(value))
  return bytes
}
