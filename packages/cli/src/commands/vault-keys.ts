import { readFile } from 'node:fs/promises'
import type { Client, Vault } from '@tideport/sdk'
import { sealVaultKey, vaultKeyId } from '@tideport/sdk/crypto'
import { command } from '../grammar/command.ts'
import type { Context } from '../grammar/context.ts'
import { openAgeFile, openVault } from '../private/open-vault.ts'
import { chooseRecipients, sealingOptions } from '../private/seal-key.ts'
import { forgetOpened, keepAgeFile, keepOpened, readAgeFile } from '../private/vault-keys.ts'
import { connect } from '../profile/connect.ts'
import { type KeptVault, keptVault, keptVaults } from '../profile/stored-vault-keys.ts'
import { findVault } from '../remote/find-vault.ts'

export const vaultsUnlock = command({
  name: 'vaults unlock',
  summary: 'Open the key of a private vault and store the open key',
  description:
    'The open key is stored until `vaults lock`: in the system keyring, or, if the keyring is not writable, in a file that\n' +
    'only you can read. With --key, the age file from another person or machine is stored as well.',
  arguments: { vault: { summary: 'Slug or ID of the vault' } },
  options: {
    key: { type: 'string', value: 'FILE', isPath: true, summary: 'Age file of the vault key (default: the stored age file)' }, // biome-ignore format: one line
    identity: { type: 'string', value: 'FILE', isPath: true, summary: 'age identity file from `age-keygen`' },
    passphraseStdin: { type: 'boolean', summary: 'Read the passphrase from stdin' },
    noKeyring: { type: 'boolean', summary: 'Store the open key in a file' },
  },
  async run({ vault: name, key: path, identity, passphraseStdin, noKeyring }, context) {
    const client = await connect(context)
    const vault = await requirePrivate(client, name, context)
    const kept = keptVault(context.environment, client.baseUrl, vault)
    const known = (await keptVaults(context.environment, client.baseUrl)).find(({ id }) => id === vault.id)
    if (path === undefined && !known) throw new Error(`No key is stored for "${name}". Name its age file with --key`)
    const text = path === undefined ? await readAgeFile(known ?? kept) : await readFile(path, 'utf8')
    const key = await openAgeFile(context, text, vault.slug, { identity, passphraseStdin })
    if (vault.keyId !== null && vault.keyId !== (await vaultKeyId(key)))
      throw new Error(`This is not the key of vault "${vault.slug}"`)
    if (path !== undefined && text !== (known && (await readAgeFile(known)))) await keepNew(known ?? kept, text, known)
    const keyIn = await keepOpened(known ?? kept, key, noKeyring)
    const where = keyIn === 'keyring' ? 'the system keyring' : keyIn
    await context.output.result(
      { vaultId: vault.id, keyIn },
      `"${vault.slug}" is unlocked. Its key is stored in ${where}`,
    )
  },
})

export const vaultsLock = command({
  name: 'vaults lock',
  summary: 'Delete the open key of a private vault',
  description: 'The age file stays. A passphrase or an identity opens it.',
  arguments: { vault: { summary: 'Slug or ID of the vault' } },
  async run({ vault: name }, context) {
    const client = await connect(context)
    const kept = await requireKept(context, client, name)
    await forgetOpened(kept)
    await context.output.result({ vaultId: kept.id, ageFile: kept.ageFile }, `"${kept.slug}" is locked`)
  },
})

export const vaultsKey = command({
  name: 'vaults key',
  summary: 'Print the key of a private vault as an age file, for a backup or to share the vault',
  description:
    'By default, prints the stored age file. With --recipient or --passphrase-stdin, encrypts the same key for those\n' +
    'recipients or that passphrase. To read the vault, a person also needs an API key for its files (`keys create --vault`).',
  arguments: { vault: { summary: 'Slug or ID of the vault' } },
  options: sealingOptions,
  async run({ vault: name, ...sealing }, context) {
    const client = await connect(context)
    const kept = await requireKept(context, client, name)
    const isForOthers = sealing.recipient.length > 0 || sealing.passphraseStdin
    const text = isForOthers
      ? await sealVaultKey(await openVault(context, client, kept.id), await chooseRecipients(context, sealing))
      : await readAgeFile(kept)
    if (context.output.json) await context.output.result({ vaultId: kept.id, ageFile: text }, '')
    else await context.output.text(text)
  },
})

/**
 * A vault has one key. A second key could not open existing files, and would create files that the first cannot open.
 */
async function keepNew(kept: KeptVault, text: string, known: KeptVault | undefined): Promise<void> {
  if (known) throw new Error(`An age file for "${kept.slug}" is already stored: ${known.ageFile}`)
  await keepAgeFile(kept, text)
}

async function requirePrivate(client: Client, name: string, { signal }: Context): Promise<Vault> {
  const vault = await findVault(client, name, signal)
  if (vault.visibility !== 'private') throw new Error(`Vault "${name}" is public: its files are not encrypted`)
  return vault
}

async function requireKept(context: Context, client: Client, name: string): Promise<KeptVault> {
  const { id } = await requirePrivate(client, name, context)
  const kept = (await keptVaults(context.environment, client.baseUrl)).find((one) => one.id === id)
  if (!kept) throw new Error(`No key is stored for "${name}"`)
  return kept
}
