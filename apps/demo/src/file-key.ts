import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** AES key wrap (RFC 3394): the initial value that an intact unwrap must give back. */
const INITIAL_VALUE = Buffer.from('A6A6A6A6A6A6A6A6', 'hex')

/** A fresh key for one file, and the same key wrapped by one that never leaves the client. */
export function createFileKey(wrappingKey: Uint8Array): { key: Buffer; wrappedKey: string } {
  const key = randomBytes(32)
  const cipher = createCipheriv('id-aes256-wrap', wrappingKey, INITIAL_VALUE)
  return { key, wrappedKey: Buffer.concat([cipher.update(key), cipher.final()]).toString('base64') }
}

/** Throws when the wrapped key was changed or wrapped by another key. */
export function unwrapFileKey(wrappedKey: string, wrappingKey: Uint8Array): Buffer {
  const decipher = createDecipheriv('id-aes256-wrap', wrappingKey, INITIAL_VALUE)
  return Buffer.concat([decipher.update(Buffer.from(wrappedKey, 'base64')), decipher.final()])
}
