import { ChangedBytesError } from '../crypto/decryption-errors.ts'
import { ascii, type Bytes, join } from '../crypto/floe.ts'
import { fromBase64, type Stanza, toBase64, unwrap, wrap } from './age-file.ts'

/** Input (any length) or output (32 bytes each) of a passkey's pseudo-random function. */
export interface PrfValues {
  first: Bytes
  second: Bytes
}

/**
 * Evaluates the WebAuthn `prf` extension: `navigator.credentials.get` with `{ prf: { eval: inputs } }`. Rejects if the
 * user declines.
 */
export type Passkey = (inputs: PrfValues) => Promise<PrfValues>

/** Same label as in the npm package `age-encryption` and `age-plugin-fido2prf`. */
export const PASSKEY_STANZA = 'age-encryption.org/fido2prf'
const label = ascii(PASSKEY_STANZA)

export async function passkeyStanza(passkey: Passkey, fileKey: Bytes): Promise<Stanza> {
  const nonce = crypto.getRandomValues(new Uint8Array(16))
  return { words: [PASSKEY_STANZA, toBase64(nonce)], body: await wrap(await wrappingKey(passkey, nonce), fileKey) }
}

export async function openPasskey(stanzas: Stanza[], passkey: Passkey): Promise<Bytes | null> {
  for (const { words, body } of stanzas) {
    if (words[0] !== PASSKEY_STANZA) continue
    const nonce = fromBase64(words[1] ?? '')
    if (words.length !== 2 || nonce.length !== 16) throw new ChangedBytesError('The age file was modified')
    const fileKey = await unwrap(await wrappingKey(passkey, nonce), body)
    if (fileKey) return fileKey
  }
  return null
}

/** Uses both values because one touch of a passkey returns two: a touch for one file must not open another file. */
async function wrappingKey(passkey: Passkey, nonce: Bytes): Promise<Bytes> {
  const input = (which: number) => join(label, Uint8Array.of(which), nonce)
  const { first, second } = await passkey({ first: input(1), second: input(2) })
  if (first.length !== 32 || second.length !== 32) throw new TypeError('Both outputs of a passkey must have 32 bytes')
  // HKDF-Extract.
  const key = await crypto.subtle.importKey('raw', label, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, join(first, second)))
}
