import { type Bytes, isSame, join } from '../crypto/floe.ts'

/**
 * ChaCha20-Poly1305 (RFC 8439), which age needs and WebCrypto lacks; for the few bytes of an age file's header and a
 * vault key. Simple rather than quick.
 */
export function seal(key: Uint8Array, nonce: Uint8Array, plaintext: Uint8Array): Bytes {
  const sealed = chacha20(key, nonce, 1, plaintext)
  return join(sealed, tagOf(key, nonce, sealed))
}

/** Null when it was changed, or sealed with another key. */
export function open(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array): Bytes | null {
  if (sealed.length < 16) return null
  const text = sealed.subarray(0, -16)
  return isSame(tagOf(key, nonce, text), sealed.subarray(-16)) ? chacha20(key, nonce, 1, text) : null
}

function tagOf(key: Uint8Array, nonce: Uint8Array, sealed: Uint8Array): Bytes {
  const lengths = new DataView(new ArrayBuffer(16))
  lengths.setBigUint64(8, BigInt(sealed.length), true)
  const padding = new Uint8Array((16 - (sealed.length % 16)) % 16)
  return poly1305(chacha20(key, nonce, 0, new Uint8Array(32)), join(sealed, padding, new Uint8Array(lengths.buffer)))
}

function chacha20(key: Uint8Array, nonce: Uint8Array, counter: number, text: Uint8Array): Bytes {
  const out = new Uint8Array(text.length)
  const state = new Uint32Array(16)
  state.set([0x61707865, 0x3320646e, 0x79622d32, 0x6b206574])
  state.set(wordsOf(key), 4)
  state.set(wordsOf(nonce), 13)
  for (let at = 0; at < text.length; at += 64) {
    state[12] = counter + at / 64
    const stream = block(state)
    for (let i = 0; i < 64 && at + i < text.length; i++) out[at + i] = (text[at + i] as number) ^ stream.getUint8(i)
  }
  return out
}

const rounds = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
] as [number, number, number, number][]

function block(state: Uint32Array): DataView {
  const x = state.slice()
  const mix = (a: number, b: number, d: number, by: number) => {
    x[a] = (x[a] as number) + (x[b] as number)
    const mixed = (x[d] as number) ^ (x[a] as number)
    x[d] = (mixed << by) | (mixed >>> (32 - by))
  }
  for (let i = 0; i < 10; i++) {
    for (const [a, b, c, d] of rounds) {
      mix(a, b, d, 16)
      mix(c, d, b, 12)
      mix(a, b, d, 8)
      mix(c, d, b, 7)
    }
  }
  const stream = new DataView(new ArrayBuffer(64))
  for (const [index, word] of x.entries()) stream.setUint32(index * 4, word + (state[index] as number), true)
  return stream
}

function poly1305(key: Uint8Array, data: Uint8Array): Bytes {
  const modulus = (1n << 130n) - 5n
  const r = littleEndian(key.subarray(0, 16)) & 0x0ffffffc0ffffffc0ffffffc0fffffffn
  let sum = 0n
  for (let at = 0; at < data.length; at += 16) {
    sum = ((sum + littleEndian(data.subarray(at, at + 16)) + (1n << 128n)) * r) % modulus
  }
  let tag = sum + littleEndian(key.subarray(16, 32))
  return Uint8Array.from({ length: 16 }, () => {
    const byte = Number(tag & 255n)
    tag >>= 8n
    return byte
  })
}

const littleEndian = (bytes: Uint8Array): bigint => bytes.reduceRight((sum, byte) => (sum << 8n) | BigInt(byte), 0n)

function wordsOf(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  return Array.from({ length: bytes.length / 4 }, (_, index) => view.getUint32(index * 4, true))
}
