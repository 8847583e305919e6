import { fromBase64Url, hexOf, toBase64Url } from '../transfer/source.ts'
import { ChangedRecordError, UnknownFormatError, WrongKeyError } from './decryption-errors.ts'
import { ascii, type Bytes, bigEndian8, isSame, join, type Key } from './floe.ts'

/** 32 random bytes that everything in a private vault hangs on. Keep it in an age file (`sealVaultKey`). */
export type VaultKey = Bytes

/** A new one. */
export const createVaultKey = (): VaultKey => crypto.getRandomValues(new Uint8Array(32))
export const createFileKey = (): Bytes => crypto.getRandomValues(new Uint8Array(32))

/** `wrappedKey` of a file: `tideport.1.<id of the vault key>.<file key by AES-KW>`. */
export async function wrapFileKey(vaultKey: VaultKey, fileKey: Bytes): Promise<string> {
  // AES-KW takes keys alone; of which algorithm does not matter.
  const id = await vaultKeyId(vaultKey)
  const key = await crypto.subtle.importKey('raw', fileKey, 'AES-GCM', true, ['encrypt'])
  const wrapped = await crypto.subtle.wrapKey('raw', key, await wrapping(vaultKey, 'wrapKey'), 'AES-KW')
  return `tideport.1.${id}.${toBase64Url(new Uint8Array(wrapped))}`
}

/** Rejects with a `WrongKeyError`, an `UnknownFormatError`, or a `ChangedRecordError` for a key that was changed. */
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
 * Tells vault keys apart without telling anything of them: eleven letters, as in `keyId` of a vault. Rejects with a TypeError
 * for what is none.
 */
export async function vaultKeyId(vaultKey: VaultKey): Promise<string> {
  if (!(vaultKey instanceof Uint8Array && vaultKey.length === 32)) throw new TypeError('A vault key must have 32 bytes')
  return toBase64Url((await hmac(vaultKey, ascii('tideport vault key id'))).subarray(0, 8))
}

/**
 * `plaintextChecksumSha256` of a file: of header and size, under the file's key. Who has the key knows by it how long the
 * plaintext is and so which segment is the last; who has not learns nothing of the plaintext, whose own SHA-256 would
 * tell which known file it is.
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
