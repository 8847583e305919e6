import { nodeCrypto } from './node-crypto.ts'
import { hexOf } from './source.ts'

/** SHA-256 of bytes that come piece by piece, which WebCrypto cannot do. */
export interface Hash {
  update(bytes: Uint8Array): void
  /** 64 lower-case hexadecimal digits. Ends it. */
  hex(): string
}

/** The platform's own where it takes pieces. The library takes some ten times as long, and is loaded only then. */
export async function startSha256(): Promise<Hash> {
  const own = nodeCrypto()
  const hash = own ? own.createHash('sha256') : (await import('@noble/hashes/sha2.js')).sha256.create()
  return { update: (bytes) => void hash.update(bytes), hex: () => hexOf(hash.digest()) }
}
