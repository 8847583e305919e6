import { nodeCrypto } from './node-crypto.ts'
import { hexOf } from './source.ts'

export interface Hash {
  update(bytes: Uint8Array): void
  hex(): string
}

/**
 * Uses the platform's hash if it is incremental. The library is about ten times slower, and is loaded only if needed.
 */
export async function startSha256(): Promise<Hash> {
  const own = nodeCrypto()
  const hash = own ? own.createHash('sha256') : (await import('@noble/hashes/sha2.js')).sha256.create()
  return { update: (bytes) => void hash.update(bytes), hex: () => hexOf(hash.digest()) }
}
