import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  createSecretKey,
  type KeyObject,
  randomBytes,
} from 'node:crypto'

const FORMAT = 'v1'
const ALGORITHM = 'aes-256-gcm'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts text that must not be readable in the database. A sealed text opens only for its owner. */
export interface SecretBox {
  /** Whether `seal` would use the key that sealed this text. */
  isCurrent(sealed: string): boolean
  seal(text: string, owner: string): string
  /** Throws unless `seal` returned this text, for this owner, under one of the keys. */
  open(sealed: string, owner: string): string
}

/**
 * Seals with the first key as `v1.<key id>.<base64url of nonce, ciphertext, tag>`, bound to the owner. Every key opens.
 * `isRepeatable`: equal texts of an owner have equal sealed forms.
 */
export function createSecretBox(keys: readonly Buffer[], { isRepeatable = false } = {}): SecretBox {
  const keysById = new Map(keys.map((key) => [keyId(key), createSecretKey(key)]))
  const [current] = keys
  if (current === undefined) throw new Error('A secret box needs a key')
  const currentId = keyId(current)
  const currentKey = createSecretKey(current)
  const nonceOf = isRepeatable ? repeatableNonces(currentKey) : () => randomBytes(NONCE_BYTES)
  return {
    isCurrent: (sealed) => keyIdOf(sealed) === currentId,
    seal(text, owner) {
      const nonce = nonceOf(text, owner)
      const cipher = createCipheriv(ALGORITHM, currentKey, nonce).setAAD(Buffer.from(owner))
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
      return `${FORMAT}.${currentId}.${sealed.toString('base64url')}`
    },
    open(sealed, owner) {
      const [format, , encoded = '', ...others] = sealed.split('.')
      const key = keysById.get(keyIdOf(sealed))
      if (format !== FORMAT || key === undefined) throw new Error('The key that sealed this is not configured')
      const bytes = Buffer.from(encoded, 'base64url')
      // Node decodes several base64url forms of the same bytes.
      if (others.length > 0 || bytes.toString('base64url') !== encoded) throw new Error('This is not a sealed text')
      const decipher = createDecipheriv(ALGORITHM, key, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(owner)).setAuthTag(bytes.subarray(-TAG_BYTES))
      return decipher.update(bytes.subarray(NONCE_BYTES, -TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
    },
  }
}

/** Derives the HMAC key, so that no key has two uses. */
function repeatableNonces(key: KeyObject) {
  const nonceKey = createSecretKey(createHmac('sha256', key).update('nonce').digest())
  return (text: string, owner: string): Buffer =>
    createHmac('sha256', nonceKey)
      .update(JSON.stringify([owner, text]))
      .digest()
      .subarray(0, NONCE_BYTES)
}

export const keyIdOf = (sealed: string): string => sealed.split('.')[1] ?? ''

/** Identifies a key without revealing it. Sealed texts contain this ID, so it must never change. */
function keyId(key: Buffer): string {
  return createHash('sha256').update('webhook-secret-key-id').update(key).digest('hex').slice(0, 16)
}
