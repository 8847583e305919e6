import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto'

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
 * `v1.<key id>.<base64url of nonce, ciphertext, tag>`, the owner is authenticated with it. With `isRepeatable` a text is
 * always sealed the same for an owner: its nonce is an HMAC of both.
 */
export function createSecretBox(keys: readonly Buffer[], { isRepeatable = false } = {}): SecretBox {
  const keysById = new Map(keys.map((key) => [keyId(key), key]))
  const [current] = keys
  if (current === undefined) throw new Error('A secret box needs a key')
  return {
    isCurrent: (sealed) => keyIdOf(sealed) === keyId(current),
    seal(text, owner) {
      const nonce = isRepeatable ? nonceOf(current, text, owner) : randomBytes(NONCE_BYTES)
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

/** The key of the HMAC is derived, so that no key has two uses. */
function nonceOf(key: Buffer, text: string, owner: string): Buffer {
  const nonceKey = createHmac('sha256', key).update('nonce').digest()
  return createHmac('sha256', nonceKey)
    .update(JSON.stringify([owner, text]))
    .digest()
    .subarray(0, NONCE_BYTES)
}

/** The name of the key that sealed this; the same for all that it sealed. */
export const keyIdOf = (sealed: string): string => sealed.split('.')[1] ?? ''

/** Names a key without telling anything useful about it. What is sealed has the name, so it never changes. */
function keyId(key: Buffer): string {
  return createHash('sha256').update('webhook-secret-key-id').update(key).digest('hex').slice(0, 16)
}
