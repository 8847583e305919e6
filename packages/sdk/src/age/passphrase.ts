import { ChangedBytesError, UnknownFormatError } from '../crypto/decryption-errors.ts'
import { ascii, type Bytes, join } from '../crypto/floe.ts'
import { nodeCrypto } from '../transfer/node-crypto.ts'
import { fromBase64, type Stanza, toBase64, unwrap, wrap } from './age-file.ts'

const label = ascii('age-encryption.org/v1/scrypt')
/** A work factor of 20 takes 1 GiB of memory. A higher one could be an attack on memory. */
const WORK_MAX = 20

/**
 * `workFactor` is log2 of the scrypt N; 18 takes 256 MiB and one second. The passphrase is normalized to NFC because
 * keyboards compose letters differently.
 */
export async function passphraseStanza(passphrase: string, fileKey: Bytes, workFactor: number): Promise<Stanza> {
  if (passphrase === '') throw new TypeError('The passphrase is empty')
  const salt = crypto.getRandomValues(new Uint8Array(16))
  const key = await scrypt(ascii(passphrase.normalize('NFC')), join(label, salt), 2 ** workFactor)
  return { words: ['scrypt', toBase64(salt), String(workFactor)], body: await wrap(key, fileKey) }
}

/**
 * Returns null for a wrong passphrase and for a file without a passphrase. Tries NFC, the typed form, and NFD, because
 * other programs seal the typed form.
 */
export async function openPassphrase(stanzas: Stanza[], passphrase: string): Promise<Bytes | null> {
  const stanza = stanzas.find(({ words }) => words[0] === 'scrypt')
  if (!stanza) return null
  const [, salt = '', factor = ''] = stanza.words
  // A passphrase stanza must be the only stanza. Otherwise an author who does not know the passphrase could write the
  // file.
  if (stanzas.length !== 1 || stanza.words.length !== 3 || !/^[1-9]\d?$/.test(factor))
    throw new ChangedBytesError('The age file was modified')
  if (Number(factor) > WORK_MAX) throw new UnknownFormatError('The work factor of the age file is too high')
  const salted = join(label, fromBase64(salt))
  for (const form of new Set([passphrase.normalize('NFC'), passphrase, passphrase.normalize('NFD')])) {
    const fileKey = await unwrap(await scrypt(ascii(form), salted, 2 ** Number(factor)), stanza.body)
    if (fileKey) return fileKey
  }
  return null
}

/**
 * scrypt (RFC 7914) with r = 8 and p = 1: 1 KiB of memory for each of `n` blocks. The platform's scrypt runs in its own
 * thread. The library takes about twice as long and blocks.
 */
export async function scrypt(passphrase: Bytes, salt: Bytes, n: number): Promise<Bytes> {
  const own = nodeCrypto()
  if (!own) {
    const { scryptAsync } = await import('@noble/hashes/scrypt.js')
    return new Uint8Array(await scryptAsync(passphrase, salt, { N: n, r: 8, p: 1, dkLen: 32 }))
  }
  // Twice the memory of the blocks, because the overhead differs between platforms.
  const cost = { N: n, r: 8, p: 1, maxmem: 2 * 1024 * n + 2 ** 20 }
  return await new Promise((resolve, reject) => {
    own.scrypt(passphrase, salt, 32, cost, (error, key) => (error ? reject(error) : resolve(new Uint8Array(key))))
  })
}
