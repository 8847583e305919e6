import { createHash, createHmac, createSecretKey, type Hash, hash, timingSafeEqual } from 'node:crypto'
import { S3Error } from '../errors.ts'
import type { ChainSeed } from '../signature/claim.ts'

const SHA256_OF_NOTHING = hash('sha256', '')

/** The signatures of the chunks of a body. Each covers its bytes and the signature before it. */
export interface ChunkChain {
  update(bytes: Buffer): void
  /** Throws unless the signature covers the bytes since the chunk before. */
  endChunk(signature: string): void
  /** Throws unless the signature covers the lines `name:value\n` and all chunks. */
  endTrailer(lines: string, signature: string): void
}

export function createChunkChain({ time, scope, signature: seed }: ChainSeed, signingKey: Buffer): ChunkChain {
  // A key object, because Node converts a key in bytes to one on each use.
  const key = createSecretKey(signingKey)
  let before = seed
  let digest: Hash | undefined

  function verify(toSign: string, signature: string): void {
    const expected = createHmac('sha256', key).update(toSign).digest()
    const given = Buffer.from(signature, 'hex')
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) {
      throw new S3Error('SignatureDoesNotMatch', undefined, { StringToSign: toSign, SignatureProvided: signature })
    }
    before = signature
  }

  return {
    update(bytes) {
      digest ??= createHash('sha256')
      digest.update(bytes)
    },

    endChunk(signature) {
      const sha256 = digest === undefined ? SHA256_OF_NOTHING : digest.digest('hex')
      digest = undefined
      verify(`AWS4-HMAC-SHA256-PAYLOAD\n${time}\n${scope}\n${before}\n${SHA256_OF_NOTHING}\n${sha256}`, signature)
    },

    endTrailer(lines, signature) {
      const sha256 = hash('sha256', Buffer.from(lines, 'latin1'))
      verify(`AWS4-HMAC-SHA256-TRAILER\n${time}\n${scope}\n${before}\n${sha256}`, signature)
    },
  }
}
