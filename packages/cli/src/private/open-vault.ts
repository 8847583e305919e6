import { readFile } from 'node:fs/promises'
import type { Client } from '@tideport/sdk'
import { openVaultKey, readIdentities, type VaultKey } from '@tideport/sdk/crypto'
import type { Context } from '../grammar/context.ts'
import { keptVaults } from '../profile/stored-vault-keys.ts'
import { readSecret } from '../terminal/ask.ts'
import { readAgeFile, readOpened } from './vault-keys.ts'

/** A passphrase, or an identity file for `age -i`. */
export interface Opener {
  identity?: string | undefined
  passphraseStdin?: boolean
}

const opened = new WeakMap<Client, Map<string, Promise<VaultKey>>>()

/** Opens the vault's key once per run: unlocked, or from its age file. Rejects with a sentence if there is none. */
export function openVault(context: Context, client: Client, vaultId: string): Promise<VaultKey> {
  const known = opened.get(client) ?? new Map<string, Promise<VaultKey>>()
  opened.set(client, known)
  const key = known.get(vaultId) ?? open(context, client, vaultId)
  known.set(vaultId, key)
  return key
}

async function open(context: Context, client: Client, vaultId: string): Promise<VaultKey> {
  const kept = (await keptVaults(context.environment, client.baseUrl)).find(({ id }) => id === vaultId)
  if (!kept) {
    throw new Error(
      `No key is stored for the private vault ${vaultId}. Add its age file with \`tideport vaults unlock VAULT --key FILE\``,
    )
  }
  return (await readOpened(kept)) ?? (await openAgeFile(context, await readAgeFile(kept), kept.slug))
}

/**
 * Prompts for the passphrase unless the environment or an option supplies a secret. Rejects with a `DecryptionError` if
 * it is wrong.
 */
export async function openAgeFile(
  context: Context,
  text: string,
  name: string,
  { identity, passphraseStdin = false }: Opener = {},
): Promise<VaultKey> {
  const { TIDEPORT_IDENTITY, TIDEPORT_PASSPHRASE } = context.environment
  const path = identity ?? (passphraseStdin ? undefined : TIDEPORT_IDENTITY || undefined)
  if (path !== undefined) return await openVaultKey(text, { identity: await readIdentity(path, context) })
  if (!passphraseStdin && TIDEPORT_PASSPHRASE) return await openVaultKey(text, { passphrase: TIDEPORT_PASSPHRASE })
  const passphrase = await readSecret(context, `Passphrase for ${name}`, passphraseStdin, hint, true)
  return await openVaultKey(text, { passphrase })
}

const hint = 'unlock the vault, or set TIDEPORT_PASSPHRASE or TIDEPORT_IDENTITY'

async function readIdentity(path: string, { output }: Context): Promise<string> {
  const text = await readFile(path, 'utf8')
  try {
    for (const sentence of readIdentities(text).skipped) output.remark(`${path}: ${sentence}`)
    return text
  } catch (cause) {
    throw new Error(`${path}: ${(cause as Error).message}`, { cause })
  }
}
