import type { DigestName, Digests } from './digest-names.ts'
import { threadDigester } from './digest-threads.ts'
import { createHasher } from './hashers.ts'

/** Handing a smaller body to a thread takes longer than hashing it. */
const IN_THREAD_FROM_BYTES = 512 * 1024

export interface Digester {
  /** The chunk may be reused once this resolves. Await it before the next call. */
  update(chunk: Uint8Array): Promise<void> | undefined
  /** Call once, last. */
  digest(): Promise<Digests>
  /** Releases a digester whose digests nobody needs. */
  abandon(): void
}

/** @param sizeBytes - of the body, as far as known; decides where it is hashed. */
export async function createDigester(names: DigestName[], sizeBytes: number): Promise<Digester> {
  if (names.length > 0 && sizeBytes >= IN_THREAD_FROM_BYTES) return threadDigester(names)
  const hashers = await Promise.all(names.map(async (name) => [name, await createHasher(name)] as const))
  return {
    update(chunk) {
      for (const [, hasher] of hashers) hasher.update(chunk)
      return undefined
    },
    digest: async () => Object.fromEntries(hashers.map(([name, hasher]) => [name, hasher.digest().toString('base64')])),
    abandon() {},
  }
}

/** Digests of bytes in memory. */
export async function digestsOf(names: DigestName[], bytes: Uint8Array): Promise<Digests> {
  const digester = await createDigester(names, bytes.length)
  await digester.update(bytes)
  return digester.digest()
}
