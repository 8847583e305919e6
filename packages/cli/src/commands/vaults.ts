import { createVault, deleteVault, listVaults, restoreVault, updateVault, type WrittenVault } from '@tideport/sdk'
import { createVaultKey, sealVaultKey, vaultKeyId } from '@tideport/sdk/crypto'
import { command } from '../grammar/command.ts'
import { chooseRecipients, sealingOptions } from '../private/seal-key.ts'
import { keepAgeFile } from '../private/vault-keys.ts'
import { connect } from '../profile/connect.ts'
import { keptVault } from '../profile/stored-vault-keys.ts'
import { isId } from '../remote/address.ts'
import { findVault } from '../remote/find-vault.ts'
import { formatBytes, formatCount } from '../terminal/amounts.ts'
import { UsageError } from '../terminal/failures.ts'

export const vaults = command({
  name: 'vaults',
  summary: 'List vaults',
  options: { trash: { type: 'boolean', summary: 'Those in the trash, which can be restored' } },
  async run({ trash }, context) {
    const client = await connect(context)
    const listed = listVaults(client, { limit: 100, trashed: trash }, { signal: context.signal })
    for await (const vault of listed) await context.output.result(vault, line(vault))
  },
})

export const vaultsCreate = command({
  name: 'vaults create',
  summary: 'Create a vault',
  description:
    'Files of a private vault are encrypted here. Its key is kept in an age file, whose path is told: without that, and\n' +
    'its passphrase or identity, nobody reads them again. Keep a copy elsewhere (`vaults key`).',
  arguments: { name: { summary: 'Its name' } },
  options: {
    private: { type: 'boolean', summary: 'Encrypt its files; else anybody may read them. Never changes' },
    description: { type: 'string', value: 'TEXT', summary: 'What it is for' },
    ...sealingOptions,
  },
  async run({ name, private: isPrivate, description, ...sealing }, context) {
    const { output, environment, signal } = context
    if (!isPrivate && (sealing.recipient.length > 0 || sealing.passphraseStdin)) {
      throw new UsageError('A public vault has no key')
    }
    const client = await connect(context)
    const key = createVaultKey()
    const text = isPrivate && (await sealVaultKey(key, await chooseRecipients(context, sealing)))
    const visibility = isPrivate ? 'private' : 'public'
    const vault = await createVault(client, { name, visibility, description }, { signal })
    if (text === false) return await output.result(vault, line(vault))
    if (vault.visibility !== 'private') throw new Error('The service made a public vault of it')
    const kept = keptVault(environment, client.baseUrl, vault)
    try {
      await keepAgeFile(kept, text)
      // Whoever opens the vault elsewhere is told by it that there is a key.
      await updateVault(client, { vaultId: vault.id, keyId: await vaultKeyId(key) }, { signal })
    } catch (error) {
      await deleteVault(client, { vaultId: vault.id }).catch(() => {})
      throw error
    }
    await output.result({ ...vault, ageFile: kept.ageFile }, line(vault))
    output.remark(`Its key is in ${kept.ageFile}. Without it nobody reads its files: keep a copy elsewhere`)
  },
})

export const vaultsRm = command({
  name: 'vaults rm',
  summary: 'Move a vault to the trash',
  arguments: { vault: { summary: 'Its slug or id' } },
  options: { force: { type: 'boolean', summary: 'Along with the files that are in it' } },
  async run({ vault, force }, context) {
    const client = await connect(context)
    const { id: vaultId } = await findVault(client, vault, context.signal)
    const deleted = await deleteVault(client, { vaultId, force }, { signal: context.signal })
    await context.output.result(deleted, line(deleted))
  },
})

export const vaultsRestore = command({
  name: 'vaults restore',
  summary: 'Take a vault, and the files that went with it, out of the trash',
  arguments: { id: { summary: 'Its id: `tideport vaults --trash` lists them' } },
  async run({ id }, context) {
    if (!isId(id)) throw new UsageError('A vault in the trash is named by its id')
    const restored = await restoreVault(await connect(context), { vaultId: id }, { signal: context.signal })
    await context.output.result(restored, line(restored))
  },
})

const line = ({ id, slug, visibility, fileCount, storageBytes, name }: WrittenVault) =>
  fileCount === undefined || storageBytes === undefined || visibility === undefined
    ? id
    : `${id}  ${visibility.padEnd(7)}  ${formatCount(fileCount, 'file').padStart(12)}  ${formatBytes(storageBytes).padStart(7)}  ${slug}  ${name}`
