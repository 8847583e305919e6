import { ChangedBytesError, UnknownFormatError } from '../crypto/decryption-errors.ts'
import { ascii, type Bytes, join } from '../crypto/floe.ts'
import { fromBase64, type Stanza, toBase64, unwrap, wrap } from './age-file.ts'
import { scrypt } from './scrypt.ts'

const label = ascii('age-encryption.org/v1/scrypt')
/** Above this somebody wants our memory: 1 GiB. */
const WORK_MAX = 20

/**
 * `workFactor`: the logarithm of scrypt's N; 18 takes 256 MiB and a second or so. Keyboards compose the same letters in
 * different ways, so a passphrase is sealed in NFC.
 */
export async function passphraseStanza(passphrase: string, fileKey: Bytes, workFactor: number): Promise<Stanza> {
  if (passphrase === '') throw new TypeError('The passphrase is empty')
  const salt = crypto.getRandomValues(new Uint8Array(16))
  const key = await scrypt(ascii(passphrase.normalize('NFC')), join(label, salt), 2 ** workFactor)
  return { words: ['scrypt', toBase64(salt), String(workFactor)], body: wrap(key, fileKey) }
}

/**
 * The file key; null for another passphrase, or a file that has none. Other programs seal what was typed, so each distinct
 * form of the passphrase is tried: NFC, as typed, NFD.
 */
export async function openPassphrase(stanzas: Stanza[], passphrase: string): Promise<Bytes | null> {
  const stanza = stanzas.find(({ words }) => words[0] === 'scrypt')
  if (!stanza) return null
  const [, salt = '', factor = ''] = stanza.words
  // A passphrase stands alone: with other stanzas beside it, who made the file would not be known to have known it.
  if (stanzas.length !== 1 || stanza.words.length !== 3 || !/^[1-9]\d?$/.test(factor))
    throw new ChangedBytesError('The age file was changed')
  if (Number(factor) > WORK_MAX) throw new UnknownFormatError('The age file asks for more work than is reasonable')
  const salted = join(label, fromBase64(salt))
  for (const form of new Set([passphrase.normalize('NFC'), passphrase, passphrase.normalize('NFD')])) {
    const fileKey = unwrap(await scrypt(ascii(form), salted, 2 ** Number(factor)), stanza.body)
    if (fileKey) return fileKey
  }
  return null
}
