import { fromBase64Url, hexOf, toBase64Url } from '../transfer/source.ts'
import { ChangedRecordError, UnknownFormatError, WrongKeyError } from './decryption-errors.ts'
import { ascii, type Bytes, bigEndian8, isSame, join, type Key } from './floe.ts'

/** 32 random bytes that protect a private vault. Store the key in an age file (`sealVaultKey`). */
export type VaultKey = Bytes

/** Creates a random vault key. */
export const createVaultKey = (): VaultKey => crypto.getRandomValues(new Uint8Array(32))
export const createFileKey = (): Bytes => crypto.getRandomValues(new Uint8Array(32))

/** `wrappedKey` of a file: `tideport.1.<ID of the vault key>.<file key by AES-KW>`. */
export async function wrapFileKey(vaultKey: VaultKey, fileKey: Bytes): Promise<string> {
  // AES-KW wraps only CryptoKeys; their algorithm does not matter.
  const id = await vaultKeyId(vaultKey)
  const key = await crypto.subtle.importKey('raw', fileKey, 'AES-GCM', true, ['encrypt'])
  const wrapped = await crypto.subtle.wrapKey('raw', key, await wrapping(vaultKey, 'wrapKey'), 'AES-KW')
  return `tideport.1.${id}.${toBase64Url(new Uint8Array(wrapped))}`
}

/** Rejects with a `WrongKeyError`, an `UnknownFormatError`, or a `ChangedRecordError` for a modified key. */
export async function unwrapFileKey(vaultKey: VaultKey, wrappedKey: string): Promise<Bytes> {
  const [, id, text = ''] = /^tideport\.1\.([\w-]{11})\.([\w-]{54})$/.exec(wrappedKey) ?? []
  if (id === undefined) throw new UnknownFormatError('The wrapped key of the file has an unknown format')
  if (id !== (await vaultKeyId(vaultKey))) throw new WrongKeyError('The file is encrypted with another vault key')
  try {
    const wrapped = fromBase64Url(text)
    const key = await crypto.subtle.unwrapKey(
      'raw',
      wrapped,
      await wrapping(vaultKey, 'unwrapKey'),
      'AES-KW',
      'AES-GCM',
      true,
      ['encrypt'],
    )
    return new Uint8Array(await crypto.subtle.exportKey('raw', key))
  } catch {
    throw new ChangedRecordError('The wrapped key of the file was modified')
  }
}

/**
 * ID of a vault key, as in `keyId` of a vault: 11 characters that reveal nothing about the key. Rejects with a
 * TypeError for an invalid key.
 */
export async function vaultKeyId(vaultKey: VaultKey): Promise<string> {
  if (!(vaultKey instanceof Uint8Array && vaultKey.length === 32)) throw new TypeError('A vault key must have 32 bytes')
  return toBase64Url((await hmac(vaultKey, ascii('tideport vault key id'))).subarray(0, 8))
}

/**
 * `plaintextChecksumSha256` of a file: an HMAC of the header and the size with the file key. With the key, it proves
 * the length of the plaintext, and so which segment is the last. Without the key, it reveals nothing; the SHA-256 of
 * the plaintext would identify known files.
 */
export async function recordTag(fileKey: Bytes, header: Bytes, plaintextSizeBytes: number): Promise<string> {
  return hexOf(await hmac(fileKey, join(ascii('tideport private file 1'), header, bigEndian8(plaintextSizeBytes))))
}

export const isSameTag = (a: string, b: string): boolean => isSame(ascii(a.toLowerCase()), ascii(b))

async function hmac(key: Bytes, data: Bytes): Promise<Bytes> {
  const imported = await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
  return new Uint8Array(await crypto.subtle.sign('HMAC', imported, data))
}

function wrapping(vaultKey: VaultKey, usage: 'wrapKey' | 'unwrapKey'): Promise<Key> {
  if (vaultKey.length !== 32) throw new TypeError('A vault key must have 32 bytes')
  return crypto.subtle.importKey('raw', vaultKey, 'AES-KW', false, [usage])
}
