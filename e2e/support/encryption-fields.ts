import { createHash } from 'node:crypto'

/** What a client that encrypts sends along with `plaintext`'s ciphertext; the service does not look into any of it. */
export function encryptionFields(plaintext: Buffer = Buffer.from('plain')) {
  return {
    wrappedKey: Buffer.alloc(40, 7).toString('base64'),
    encryptionIv: Buffer.alloc(8, 9).toString('base64'),
    plaintextSizeBytes: plaintext.length,
    plaintextChecksumSha256: createHash('sha256').update(plaintext).digest('hex'),
  }
}
