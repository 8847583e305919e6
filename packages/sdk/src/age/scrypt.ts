import type { Bytes } from '../crypto/floe.ts'
import { nodeCrypto } from '../transfer/node-crypto.ts'

/**
 * 32 bytes of scrypt (RFC 7914) with r = 8 and p = 1, as age uses it: 1 KiB of memory for each of `n` blocks. The
 * platform's own where there is one, in a thread of its own, else ours, which takes some four times as long.
 */
export async function scrypt(passphrase: Bytes, salt: Bytes, n: number): Promise<Bytes> {
  const own = nodeCrypto()
  if (!own) return await ourScrypt(passphrase, salt, n)
  // Twice what it takes: what is said beside the blocks differs from platform to platform.
  const cost = { N: n, r: 8, p: 1, maxmem: 2 * 1024 * n + 2 ** 20 }
  return await new Promise((resolve, reject) => {
    own.scrypt(passphrase, salt, 32, cost, (error, key) => (error ? reject(error) : resolve(new Uint8Array(key))))
  })
}

export async function ourScrypt(passphrase: Bytes, salt: Bytes, n: number): Promise<Bytes> {
  const mixed = new Uint8Array(await pbkdf2(passphrase, salt, 1024))
  const x = new Uint32Array(256)
  const view = new DataView(mixed.buffer)
  for (let i = 0; i < 256; i++) x[i] = view.getUint32(i * 4, true)
  const memory = new Uint32Array(256 * n)
  const scratch = new Uint32Array(256)
  for (let i = 0; i < n; i++) {
    memory.set(x, i * 256)
    blockMix(x, scratch)
  }
  for (let i = 0; i < n; i++) {
    const from = ((x[240] as number) & (n - 1)) * 256
    for (let j = 0; j < 256; j++) x[j] = (x[j] as number) ^ (memory[from + j] as number)
    blockMix(x, scratch)
  }
  for (let i = 0; i < 256; i++) view.setUint32(i * 4, x[i] as number, true)
  return new Uint8Array(await pbkdf2(passphrase, mixed, 32))
}

async function pbkdf2(passphrase: Bytes, salt: Bytes, bytes: number): Promise<ArrayBuffer> {
  const key = await crypto.subtle.importKey('raw', passphrase, 'PBKDF2', false, ['deriveBits'])
  return await crypto.subtle.deriveBits({ name: 'PBKDF2', hash: 'SHA-256', salt, iterations: 1 }, key, bytes * 8)
}

/** Sixteen blocks of sixteen words; the even ones go to the front, the odd ones behind. */
function blockMix(x: Uint32Array, out: Uint32Array): void {
  const last = x.slice(240)
  for (let i = 0; i < 16; i++) {
    for (let j = 0; j < 16; j++) last[j] = (last[j] as number) ^ (x[i * 16 + j] as number)
    salsa20(last)
    out.set(last, ((i % 2) * 8 + (i >> 1)) * 16)
  }
  x.set(out)
}

/** The words of each quarter of a round, columns then rows. */
const quarters = [
  0, 4, 8, 12, 5, 9, 13, 1, 10, 14, 2, 6, 15, 3, 7, 11, 0, 1, 2, 3, 5, 6, 7, 4, 10, 11, 8, 9, 15, 12, 13, 14,
]

function salsa20(x: Uint32Array): void {
  const y = Int32Array.from(x)
  for (let i = 0; i < 4; i++) {
    for (let q = 0; q < 32; q += 4) {
      const a = quarters[q] as number
      const b = quarters[q + 1] as number
      const c = quarters[q + 2] as number
      const d = quarters[q + 3] as number
      let sum = ((y[a] as number) + (y[d] as number)) | 0
      y[b] = (y[b] as number) ^ ((sum << 7) | (sum >>> 25))
      sum = ((y[b] as number) + (y[a] as number)) | 0
      y[c] = (y[c] as number) ^ ((sum << 9) | (sum >>> 23))
      sum = ((y[c] as number) + (y[b] as number)) | 0
      y[d] = (y[d] as number) ^ ((sum << 13) | (sum >>> 19))
      sum = ((y[d] as number) + (y[c] as number)) | 0
      y[a] = (y[a] as number) ^ ((sum << 18) | (sum >>> 14))
    }
  }
  for (let i = 0; i < 16; i++) x[i] = (x[i] as number) + (y[i] as number)
}
