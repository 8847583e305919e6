import { createVault, deleteVault, listVaults, restoreVault, type Vault } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import { connect } from '../profile/connect.ts'
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
  arguments: { name: { summary: 'Its name' } },
  options: {
    visibility: {
      type: 'string',
      choices: ['public', 'private'],
      summary:
        'Whether anybody reads its files, or its files are encrypted by clients. Never changes; public unless given',
    },
    description: { type: 'string', value: 'TEXT', summary: 'What it is for' },
  },
  async run({ name, visibility = 'public', description }, context) {
    const client = await connect(context)
    const vault = await createVault(client, { name, visibility, description }, { signal: context.signal })
    await context.output.result(vault, line(vault))
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

const line = ({ id, slug, visibility, fileCount, storageBytes, name }: Vault) =>
  `${id}  ${visibility.padEnd(7)}  ${formatCount(fileCount, 'file').padStart(12)}  ${formatBytes(storageBytes).padStart(7)}  ${slug}  ${name}`
