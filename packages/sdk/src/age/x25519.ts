import { bech32 } from '@scure/base'
import { ChangedBytesError } from '../crypto/decryption-errors.ts'
import { type Bytes, join } from '../crypto/floe.ts'
import { fromBase64, hkdf, type Stanza, toBase64, unwrap, wrap } from './age-file.ts'
import { decodeKey } from './identities.ts'

/** An age key pair: the identity is secret, the recipient is public. */
export interface Identity {
  /** `AGE-SECRET-KEY-1…` */
  identity: string
  /** `age1…` */
  recipient: string
}

const basePoint = Uint8Array.from({ length: 32 }, (_, index) => (index === 0 ? 9 : 0))
/** PKCS #8 prefix of a 32-byte private key. */
const pkcs8 = Uint8Array.from([48, 46, 2, 1, 0, 48, 5, 6, 3, 43, 101, 110, 4, 34, 4, 32])

/** Creates a key pair, like `age-keygen`. */
export async function createIdentity(): Promise<Identity> {
  const secret = crypto.getRandomValues(new Uint8Array(32))
  const recipient = bech32.encodeFromBytes('age', await multiply(secret, basePoint))
  return { identity: bech32.encodeFromBytes('age-secret-key-', secret).toUpperCase(), recipient }
}

export async function x25519Stanza(recipient: string, fileKey: Bytes): Promise<Stanza> {
  const theirs = decodeKey('age', recipient.trim())
  if (!theirs) throw new TypeError('The text is not an age recipient (age1…)')
  const secret = crypto.getRandomValues(new Uint8Array(32))
  const ours = await multiply(secret, basePoint)
  const key = await wrappingKey(await multiply(secret, theirs), ours, theirs)
  return { words: ['X25519', toBase64(ours)], body: await wrap(key, fileKey) }
}

export async function openX25519(stanzas: Stanza[], secrets: readonly Bytes[]): Promise<Bytes | null> {
  for (const secret of secrets) {
    const fileKey = await openBy(stanzas, secret)
    if (fileKey) return fileKey
  }
  return null
}

async function openBy(stanzas: Stanza[], secret: Bytes): Promise<Bytes | null> {
  const theirs = await multiply(secret, basePoint)
  for (const { words, body } of stanzas) {
    if (words[0] !== 'X25519' || words.length !== 2) continue
    const ours = fromBase64(words[1] as string)
    if (ours.length !== 32) throw new ChangedBytesError('The age file was modified')
    const fileKey = await unwrap(await wrappingKey(await multiply(secret, ours), ours, theirs), body)
    if (fileKey) return fileKey
  }
  return null
}

const wrappingKey = (shared: Bytes, ours: Bytes, theirs: Bytes) =>
  hkdf(shared, join(ours, theirs), 'age-encryption.org/v1/X25519')

/** Rejects points of low order, because the shared secret would not be secret. */
async function multiply(secret: Bytes, point: Bytes): Promise<Bytes> {
  const key = await crypto.subtle.importKey('pkcs8', join(pkcs8, secret), 'X25519', false, ['deriveBits'])
  const other = await crypto.subtle.importKey('raw', point, 'X25519', false, [])
  return new Uint8Array(await crypto.subtle.deriveBits({ name: 'X25519', public: other }, key, 256))
}
