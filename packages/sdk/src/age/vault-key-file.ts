import { UnknownFormatError, WrongKeyError } from '../crypto/decryption-errors.ts'
import type { VaultKey } from '../crypto/file-key.ts'
import { ascii, type Bytes } from '../crypto/floe.ts'
import { fromBase64Url, toBase64Url } from '../transfer/source.ts'
import { openPayload, readAgeFile, type Stanza, writeAgeFile } from './age-file.ts'
import { readIdentities } from './identities.ts'
import { openPasskey, PASSKEY_STANZA, type Passkey, passkeyStanza } from './passkey.ts'
import { openPassphrase, passphraseStanza } from './passphrase.ts'
import { openX25519, x25519Stanza } from './x25519.ts'

/**
 * One of: a passphrase, age recipients (`age1…`), or a passkey. age does not allow a passphrase with other recipients:
 * create two files.
 */
export type Recipients =
  | { passphrase: string; workFactor?: number }
  | { recipients: readonly string[] }
  | { passkey: Passkey }

/**
 * One of: a passphrase in any Unicode form, a passkey, or identities (`AGE-SECRET-KEY-1…` or the text of an identity
 * file). Every identity is tried.
 */
export type KeyOpener = { passphrase: string } | { identity: string | readonly string[] } | { passkey: Passkey }

/** Encrypts the vault key as an age file, which is safe to store anywhere. `age -d` also opens it. */
export async function sealVaultKey(vaultKey: VaultKey, to: Recipients): Promise<string> {
  if (vaultKey.length !== 32) throw new TypeError('A vault key must have 32 bytes')
  const fileKey = crypto.getRandomValues(new Uint8Array(16))
  const stanzas = await stanzasFor(to, fileKey)
  if (stanzas.length === 0) throw new TypeError('Give at least one recipient, passphrase, or passkey')
  return await writeAgeFile(fileKey, stanzas, ascii(`tideport-vault-key-1:${toBase64Url(vaultKey)}\n`))
}

async function stanzasFor(to: Recipients, fileKey: Bytes): Promise<Stanza[]> {
  if ('passphrase' in to) return [await passphraseStanza(to.passphrase, fileKey, to.workFactor ?? 18)]
  if ('passkey' in to) return [await passkeyStanza(to.passkey, fileKey)]
  return await Promise.all(to.recipients.map((recipient) => x25519Stanza(recipient, fileKey)))
}

/**
 * Decrypts the vault key. Rejects with a `WrongKeyError` for another passphrase, identity, or passkey, or another
 * `DecryptionError` for a modified or invalid file.
 */
export async function openVaultKey(file: string | Uint8Array, by: KeyOpener): Promise<VaultKey> {
  const age = readAgeFile(file)
  const fileKey = await openStanza(age.stanzas, by)
  if (!fileKey) throw new WrongKeyError(whyNot(age.stanzas, by))
  const text = new TextDecoder().decode(await openPayload(age, fileKey))
  const [, key] = /^tideport-vault-key-1:([\w-]{43})\s*$/.exec(text) ?? []
  if (key === undefined) throw new UnknownFormatError('The age file does not contain a vault key')
  return fromBase64Url(key)
}

async function openStanza(stanzas: Stanza[], by: KeyOpener): Promise<Bytes | null> {
  if ('passphrase' in by) return await openPassphrase(stanzas, by.passphrase)
  if ('passkey' in by) return await openPasskey(stanzas, by.passkey)
  return await openX25519(stanzas, readIdentities(by.identity).secrets)
}

const openers = {
  passphrase: {
    word: 'scrypt',
    isWrong: 'The passphrase is wrong',
    isNone: 'The age file cannot be opened with a passphrase',
  },
  passkey: {
    word: PASSKEY_STANZA,
    isWrong: 'The age file is encrypted for another passkey',
    isNone: 'The age file cannot be opened with a passkey',
  },
  identity: {
    word: 'X25519',
    isWrong: 'The age file is encrypted for other identities',
    isNone: 'The age file cannot be opened with an identity',
  },
}

function whyNot(stanzas: readonly Stanza[], by: KeyOpener): string {
  const { word, isWrong, isNone } =
    openers['passphrase' in by ? 'passphrase' : 'passkey' in by ? 'passkey' : 'identity']
  return stanzas.some(({ words }) => words[0] === word) ? isWrong : isNone
}
