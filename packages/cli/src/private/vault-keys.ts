import { readFile, rm } from 'node:fs/promises'
import type { VaultKey } from '@tideport/sdk/crypto'
import { absent } from '../local/absent.ts'
import { replaceFile } from '../local/replace-file.ts'
import { forgetSecret, keepSecret, keyringOrNull, readSecretIn, systemKeyring } from '../profile/secrets.ts'
import type { KeptVault } from '../profile/stored-vault-keys.ts'

const PREFIX = 'tideport-vault-key-1:'

export const keepAgeFile = ({ ageFile }: KeptVault, text: string): Promise<void> => replaceFile(ageFile, text)

export const readAgeFile = ({ ageFile }: KeptVault): Promise<string> => readFile(ageFile, 'utf8')

export async function keepOpened(vault: KeptVault, key: VaultKey, noKeyring: boolean): Promise<string> {
  const secret = PREFIX + Buffer.from(key).toString('base64url')
  const place = { account: accountOf(vault), path: openedFile(vault) }
  const keyIn = await keepSecret(secret, place, noKeyring ? null : await keyringOrNull())
  if (keyIn === 'keyring') await replaceFile(openedFile(vault), 'keyring\n')
  return keyIn
}

export async function readOpened(vault: KeptVault): Promise<VaultKey | null> {
  const text = await readSecretIn(await placeOf(vault), systemKeyring).catch(() => null)
  if (!text?.startsWith(PREFIX)) return null
  return new Uint8Array(Buffer.from(text.slice(PREFIX.length), 'base64url'))
}

export async function forgetOpened(vault: KeptVault): Promise<void> {
  await forgetSecret(await placeOf(vault), systemKeyring)
  await rm(openedFile(vault), { force: true })
}

async function placeOf(vault: KeptVault) {
  const text = await readFile(openedFile(vault), 'utf8').catch(absent)
  return { account: accountOf(vault), keyIn: text?.trim() === 'keyring' ? 'keyring' : openedFile(vault) }
}

const openedFile = ({ ageFile }: KeptVault) => ageFile.replace(/\.age$/, '.key')
const accountOf = ({ ageFile }: KeptVault) => `vault ${ageFile}`
