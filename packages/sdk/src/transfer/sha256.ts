import { nodeCrypto } from './node-crypto.ts'

/** SHA-256 of bytes that come piece by piece, which WebCrypto cannot do (FIPS 180-4). */
export interface Hash {
  update(bytes: Uint8Array): void
  /** 64 lower-case hexadecimal digits. Ends it. */
  hex(): string
}

/** The platform's own where there is one that takes pieces, else ours, which takes some ten times as long. */
export function sha256(): Hash {
  const own = nodeCrypto()
  if (!own) return ourSha256()
  const hash = own.createHash('sha256')
  return { update: (bytes) => void hash.update(bytes), hex: () => hash.digest('hex') }
}

/** The first 32 bits of the fractional parts of the roots of the first primes: square roots to begin with, cube roots as constants. */
function fractions(count: number, root: (prime: number) => number): Int32Array {
  const primes: number[] = []
  for (let candidate = 2; primes.length < count; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate)
  }
  return Int32Array.from(primes, (prime) => ((root(prime) % 1) * 2 ** 32) | 0)
}

/** In signed 32-bit integers throughout, which engines keep in registers. */
export function ourSha256(): Hash {
  const constants = fractions(64, Math.cbrt)
  const state = fractions(8, Math.sqrt)
  const schedule = new Int32Array(64)
  const block = new Uint8Array(64)
  let filled = 0
  let length = 0

  function compress(bytes: Uint8Array, at: number) {
    for (let i = 0, j = at; i < 16; i++, j += 4) {
      schedule[i] =
        ((bytes[j] as number) << 24) |
        ((bytes[j + 1] as number) << 16) |
        ((bytes[j + 2] as number) << 8) |
        (bytes[j + 3] as number)
    }
    for (let i = 16; i < 64; i++) {
      const x = schedule[i - 15] as number
      const y = schedule[i - 2] as number
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
      schedule[i] = ((schedule[i - 16] as number) + s0 + (schedule[i - 7] as number) + s1) | 0
    }
    let a = state[0] as number
    let b = state[1] as number
    let c = state[2] as number
    let d = state[3] as number
    let e = state[4] as number
    let f = state[5] as number
    let g = state[6] as number
    let h = state[7] as number
    for (let i = 0; i < 64; i++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (constants[i] as number) + (schedule[i] as number)) | 0
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + t1) | 0
      d = c
      c = b
      b = a
      a = (t1 + t2) | 0
    }
    add(0, a)
    add(1, b)
    add(2, c)
    add(3, d)
    add(4, e)
    add(5, f)
    add(6, g)
    add(7, h)
  }

  function add(index: number, value: number) {
    state[index] = (state[index] as number) + value
  }

  function update(bytes: Uint8Array) {
    length += bytes.length
    let at = 0
    if (filled > 0) {
      at = Math.min(64 - filled, bytes.length)
      block.set(bytes.subarray(0, at), filled)
      filled += at
      if (filled < 64) return
      compress(block, 0)
      filled = 0
    }
    for (; at + 64 <= bytes.length; at += 64) compress(bytes, at)
    block.set(bytes.subarray(at))
    filled = bytes.length - at
  }

  return {
    update,
    hex() {
      const bits = new DataView(new ArrayBuffer(8))
      bits.setBigUint64(0, BigInt(length) * 8n)
      update(new Uint8Array([0x80]))
      update(new Uint8Array((120 - filled) % 64))
      update(new Uint8Array(bits.buffer))
      return Array.from(state, (word) => (word >>> 0).toString(16).padStart(8, '0')).join('')
    },
  }
}
