import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

const FORMAT = 'v1'
const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts what must not lie readable in the database. A text opens only for the owner it was sealed for. */
export interface SecretBox {
  /** Whether `seal` would use the same key. */
  isCurrent(sealed: string): boolean
  seal(text: string, owner: string): string
  /** Throws when the text was altered, belongs to another owner or its key is not configured any more. */
  open(sealed: string, owner: string): string
}

/**
 * AES-256-GCM under the first of the keys (32 bytes each); the others still open what they sealed. The sealed form is
 * `v1.<key id>.<base64url of nonce, ciphertext, tag>`, the owner is authenticated with it.
 */
export function createSecretBox(keys: readonly Buffer[]): SecretBox {
  const keysById = new Map(keys.map((key) => [keyId(key), key]))
  const [current] = keys
  if (current === undefined) throw new Error('A secret box needs a key')
  return {
    isCurrent: (sealed) => keyIdOf(sealed) === keyId(current),
    seal(text, owner) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(ALGORITHM, current, nonce).setAAD(Buffer.from(owner))
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${FORMAT}.${keyId(current)}.${sealed.toString('base64url')}`
    },
    open(sealed, owner) {
      const [format, , encoded = ''] = sealed.split('.')
      const key = keysById.get(keyIdOf(sealed))
      if (format !== FORMAT || key === undefined) throw new Error('The key that sealed this is not configured')
      const bytes = Buffer.from(encoded, 'base64url')
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(-TAG_BYTES))
      return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}

/** The name of the key that sealed this; the same for all that it sealed. */
export const keyIdOf = (sealed: string): string => sealed.split('.')[1] ?? ''

/** Names a key without telling anything useful about it. What is sealed has the name, so it never changes. */
function keyId(key: Buffer): string {
  return createHash('sha256').update('webhook-secret-key-id').update(key).digest('hex').slice(0, 16)
}
