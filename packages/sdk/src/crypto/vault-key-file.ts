import { openPayload, readAgeFile, writeAgeFile } from '../age/age-file.ts'
import { openPassphrase, passphraseStanza } from '../age/passphrase.ts'
import { openX25519, x25519Stanza } from '../age/x25519.ts'
import { fromBase64Url, toBase64Url } from '../transfer/source.ts'
import { UnknownFormatError, WrongKeyError } from './decryption-errors.ts'
import type { VaultKey } from './file-key.ts'
import { ascii } from './floe.ts'

/** A passphrase, or everybody who is to have the key: `age1…`. age allows no file with both: make two. */
export type Recipients = { passphrase: string; workFactor?: number } | { recipients: readonly string[] }

/** The vault key as an age file, which `age -d` opens as well. Keep it anywhere: it is of no use to who cannot open it. */
export async function sealVaultKey(vaultKey: VaultKey, to: Recipients): Promise<string> {
  if (vaultKey.length !== 32) throw new TypeError('A vault key has 32 bytes')
  const fileKey = crypto.getRandomValues(new Uint8Array(16))
  const stanzas =
    'passphrase' in to
      ? [await passphraseStanza(to.passphrase, fileKey, to.workFactor ?? 18)]
      : await Promise.all(to.recipients.map((recipient) => x25519Stanza(recipient, fileKey)))
  if (stanzas.length === 0) throw new TypeError('Nobody could open it')
  return await writeAgeFile(fileKey, stanzas, ascii(`tideport-vault-key-1:${toBase64Url(vaultKey)}\n`))
}

/**
 * The vault key again. Rejects with a `WrongKeyError` for another passphrase or identity, and with other kinds of `DecryptionError` for a file that
 * was changed or is none.
 */
export async function openVaultKey(
  file: string | Uint8Array,
  by: { passphrase: string } | { identity: string },
): Promise<VaultKey> {
  const age = readAgeFile(file)
  const fileKey =
    'passphrase' in by ? await openPassphrase(age.stanzas, by.passphrase) : await openX25519(age.stanzas, by.identity)
  if (!fileKey) throw new WrongKeyError('The age file is for somebody else')
  const text = new TextDecoder().decode(await openPayload(age, fileKey))
  const [, key] = /^tideport-vault-key-1:([\w-]{43})\s*$/.exec(text) ?? []
  if (key === undefined) throw new UnknownFormatError('The age file holds no vault key')
  return fromBase64Url(key)
}
