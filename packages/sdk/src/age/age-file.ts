import { ChangedBytesError, UnknownFormatError } from '../crypto/decryption-errors.ts'
import { ascii, type Bytes, isSame, join } from '../crypto/floe.ts'
import { fromBase64Url, toBase64Url } from '../transfer/source.ts'

export interface Stanza {
  words: string[]
  body: Bytes
}

export interface AgeFile {
  stanzas: Stanza[]
  header: string
  tag: Bytes
  payload: Bytes
}

const version = 'age-encryption.org/v1'
const noNonce = new Uint8Array(12)

/** An armored age file (c2sp.org/age) of at most 64 KiB. Each stanza wraps the file key. */
export async function writeAgeFile(fileKey: Bytes, stanzas: Stanza[], plaintext: Bytes): Promise<string> {
  const lines = stanzas.flatMap(({ words, body }) => [`-> ${words.join(' ')}`, toBase64(body)])
  const header = `${[version, ...lines].join('\n')}\n---`
  const nonce = crypto.getRandomValues(new Uint8Array(16))
  const payload = await seal(await hkdf(fileKey, nonce, 'payload'), lastChunk, plaintext)
  return armor(join(ascii(`${header} ${toBase64(await headerTag(fileKey, header))}\n`), nonce, payload))
}

/** Throws a `DecryptionError` if the text is not an age file. */
export function readAgeFile(file: string | Uint8Array): AgeFile {
  const bytes = unarmor(file)
  const text = new TextDecoder('latin1').decode(bytes)
  const match =
    /^age-encryption\.org\/v1\n((?:-> [!-~]+(?: [!-~]+)*\n(?:[A-Za-z0-9+/]{64}\n)*[A-Za-z0-9+/]{0,63}\n)+)--- ([A-Za-z0-9+/]{43})\n/.exec(
      text,
    )
  if (!match) throw new UnknownFormatError('The text is not an age file of version 1')
  const [whole, list = '', tag = ''] = match
  const stanzas = list
    .split(/^-> /m)
    .slice(1)
    .map((stanza): Stanza => {
      const [words = '', ...body] = stanza.split('\n')
      return { words: words.split(' '), body: fromBase64(body.join('')) }
    })
  return {
    stanzas,
    header: whole.slice(0, whole.lastIndexOf(' ')),
    tag: fromBase64(tag),
    payload: bytes.slice(whole.length),
  }
}

/** Decrypts with the file key from a stanza. Rejects with a `DecryptionError` for a modified file. */
export async function openPayload({ header, tag, payload }: AgeFile, fileKey: Bytes): Promise<Bytes> {
  if (!isSame(tag, await headerTag(fileKey, header))) throw new ChangedBytesError('The age file was modified')
  const plaintext = await open(await hkdf(fileKey, payload.slice(0, 16), 'payload'), lastChunk, payload.subarray(16))
  if (!plaintext) throw new ChangedBytesError('The age file was modified')
  return plaintext
}

/** The only chunk is the last one: an 11-byte counter of zero, and the last-chunk flag. */
const lastChunk = Uint8Array.from({ length: 12 }, (_, index) => (index === 11 ? 1 : 0))

/** Wraps the file key in a stanza. The wrapping key is used once, so the nonce is zero. */
export const wrap = (key: Bytes, fileKey: Bytes): Promise<Bytes> => seal(key, noNonce, fileKey)
export const unwrap = async (key: Bytes, body: Bytes): Promise<Bytes | null> =>
  body.length === 32 ? await open(key, noNonce, body) : null

/** WebCrypto lacks ChaCha20-Poly1305. The library is loaded on the first use of an age file. */
const loadCipher = async () => (await import('@noble/ciphers/chacha.js')).chacha20poly1305

async function seal(key: Bytes, nonce: Bytes, plaintext: Bytes): Promise<Bytes> {
  const cipher = await loadCipher()
  return new Uint8Array(cipher(key, nonce).encrypt(plaintext))
}

/** Returns null for modified bytes and for bytes sealed with another key. */
async function open(key: Bytes, nonce: Bytes, sealed: Bytes): Promise<Bytes | null> {
  const cipher = await loadCipher()
  try {
    return new Uint8Array(cipher(key, nonce).decrypt(sealed))
  } catch {
    return null
  }
}

export async function hkdf(secret: Bytes, salt: Bytes, info: string): Promise<Bytes> {
  const key = await crypto.subtle.importKey('raw', secret, 'HKDF', false, ['deriveBits'])
  return new Uint8Array(
    await crypto.subtle.deriveBits({ name: 'HKDF', hash: 'SHA-256', salt, info: ascii(info) }, key, 256),
  )
}

async function headerTag(fileKey: Bytes, header: string): Promise<Bytes> {
  const raw = await hkdf(fileKey, new Uint8Array(), 'header')
  const key = await crypto.subtle.importKey('raw', raw, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', key, ascii(header)))
}

const BEGIN = '-----BEGIN AGE ENCRYPTED FILE-----'
const END = '-----END AGE ENCRYPTED FILE-----'

function armor(bytes: Uint8Array): string {
  const text = toBase64(bytes)
  const padded = text.padEnd(Math.ceil(text.length / 4) * 4, '=')
  return `${[BEGIN, ...(padded.match(/.{1,64}/g) ?? []), END].join('\n')}\n`
}

function unarmor(file: string | Uint8Array): Bytes {
  const text = typeof file === 'string' ? file : new TextDecoder('latin1').decode(file)
  const match =
    /^\s*-----BEGIN AGE ENCRYPTED FILE-----\s+([A-Za-z0-9+/=\s]+?)\s*-----END AGE ENCRYPTED FILE-----\s*$/.exec(text)
  if (match) return fromBase64((match[1] as string).replaceAll(/\s/g, '').replace(/={1,2}$/, ''))
  if (typeof file === 'string') throw new UnknownFormatError('The text is not an age file')
  return file as Bytes
}

export const toBase64 = (bytes: Uint8Array): string => toBase64Url(bytes).replaceAll('-', '+').replaceAll('_', '/')

/** Accepts only canonical base64, as c2sp.org/age requires. */
export function fromBase64(text: string): Bytes {
  try {
    const bytes = fromBase64Url(text)
    if (toBase64(bytes) === text) return bytes
  } catch {
    // Characters outside the base64 alphabet.
  }
  throw new UnknownFormatError('The text is not an age file')
}
