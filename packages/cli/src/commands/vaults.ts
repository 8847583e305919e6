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
  options: { trash: { type: 'boolean', summary: 'List vaults in the trash' } },
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
    'Files of a private vault are encrypted on this machine. The command prints the path of the age file that holds the key.\n' +
    'Without the age file and its passphrase or identity, the files cannot be read. Keep a copy elsewhere (`vaults key`).',
  arguments: { name: { summary: 'Name of the vault' } },
  options: {
    private: {
      type: 'boolean',
      summary: 'Encrypt all files; files of a public vault are readable by anyone. Cannot be changed later',
    },
    slug: { type: 'string', value: 'SLUG', summary: 'Slug for URLs and S3, instead of one derived from the name' },
    description: { type: 'string', value: 'TEXT', summary: 'Description of the vault' },
    ...sealingOptions,
  },
  async run({ name, private: isPrivate, slug, description, ...sealing }, context) {
    const { output, environment, signal } = context
    if (!isPrivate && (sealing.recipient.length > 0 || sealing.passphraseStdin)) {
      throw new UsageError('Key options need --private: a public vault has no key')
    }
    const client = await connect(context)
    const key = createVaultKey()
    const text = isPrivate && (await sealVaultKey(key, await chooseRecipients(context, sealing)))
    const visibility = isPrivate ? 'private' : 'public'
    const vault = await createVault(client, { name, slug, visibility, description }, { signal })
    if (text === false) return await output.result(vault, line(vault))
    if (vault.visibility !== 'private') throw new Error('The service created a public vault instead of a private one')
    const kept = keptVault(environment, client.baseUrl, vault)
    try {
      await keepAgeFile(kept, text)
      // Shows other clients that the vault has a key.
      await updateVault(client, { vaultId: vault.id, keyId: await vaultKeyId(key) }, { signal })
    } catch (error) {
      await deleteVault(client, { vaultId: vault.id }).catch(() => {})
      throw error
    }
    await output.result({ ...vault, ageFile: kept.ageFile }, line(vault))
    output.remark(`The vault key is in ${kept.ageFile}. Without it, the files cannot be read: keep a copy elsewhere`)
  },
})

export const vaultsRm = command({
  name: 'vaults rm',
  summary: 'Move a vault to the trash',
  arguments: { vault: { summary: 'Slug or ID of the vault' } },
  options: { force: { type: 'boolean', summary: 'Also move the files of the vault to the trash' } },
  async run({ vault, force }, context) {
    const client = await connect(context)
    const { id: vaultId } = await findVault(client, vault, context.signal)
    const deleted = await deleteVault(client, { vaultId, force }, { signal: context.signal })
    await context.output.result(deleted, line(deleted))
  },
})

export const vaultsRestore = command({
  name: 'vaults restore',
  summary: 'Restore a vault and its files from the trash',
  arguments: { id: { summary: 'Vault ID, from `tideport vaults --trash`' } },
  async run({ id }, context) {
    if (!isId(id))
      throw new UsageError(`"${id}" is not a vault ID. For the IDs of trashed vaults, run \`tideport vaults --trash\``)
    const restored = await restoreVault(await connect(context), { vaultId: id }, { signal: context.signal })
    await context.output.result(restored, line(restored))
  },
})

const line = ({ id, slug, visibility, fileCount, storageBytes, name }: WrittenVault) =>
  fileCount === undefined || storageBytes === undefined || visibility === undefined
    ? id
    : `${id}  ${visibility.padEnd(7)}  ${formatCount(fileCount, 'file').padStart(12)}  ${formatBytes(storageBytes).padStart(7)}  ${slug}  ${name}`
