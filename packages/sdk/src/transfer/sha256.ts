import { nodeCrypto } from './node-crypto.ts'
import { hexOf } from './source.ts'

export interface Hash {
  update(bytes: Uint8Array): void
  hex(): string
}

/** The platform's own where it takes pieces. The library takes some ten times as long, and is loaded only then. */
export async function startSha256(): Promise<Hash> {
  const own = nodeCrypto()
  const hash = own ? own.createHash('sha256') : (await import('@noble/hashes/sha2.js')).sha256.create()
  return { update: (bytes) => void hash.update(bytes), hex: () => hexOf(hash.digest()) }
}
