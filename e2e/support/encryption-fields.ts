import { createHash } from 'node:crypto'

/** The fields that a client sends with the ciphertext of `plaintext`. The service does not interpret them. */
export function encryptionFields(plaintext: Buffer = Buffer.from('plain')) {
  return {
    wrappedKey: Buffer.alloc(40, 7).toString('base64'),
    encryptionIv: Buffer.alloc(8, 9).toString('base64'),
    plaintextSizeBytes: plaintext.length,
    plaintextChecksumSha256: createHash('sha256').update(plaintext).digest('hex'),
  }
}
