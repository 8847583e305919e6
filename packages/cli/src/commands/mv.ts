import { type Client, type FileRecord, moveFiles, updateFile, type Vault } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import type { Context } from '../grammar/context.ts'
import { onConflictOption } from '../grammar/on-conflict.ts'
import { connect } from '../profile/connect.ts'
import { nameOf, parseAddress, parsePlace, prefixOf, requireFolder, targetOf } from '../remote/address.ts'
import { findFile } from '../remote/find-files.ts'
import { findVault } from '../remote/find-vault.ts'
import { runJobOf } from '../remote/run-job.ts'

export const mv = command({
  name: 'mv',
  summary: 'Move or rename a file or folder',
  description:
    'With a target of VAULT:FOLDER/ (with the slash), the name stays the same. The service moves a folder in a job; Ctrl-C\n' +
    'cancels the job. Two vaults must be both public or both private. In another vault, a file at the same path is kept.',
  arguments: {
    from: { summary: 'VAULT:PATH, VAULT:FOLDER/, or a file ID' },
    to: { summary: 'VAULT:PATH or VAULT:FOLDER/' },
  },
  options: { onConflict: onConflictOption('fail') },
  async run({ from, to, onConflict = 'fail' }, context) {
    const { signal } = context
    const client = await connect(context)
    const address = parseAddress(from)
    const { vault: toVault, path } = parsePlace(to)
    const vault = await findVault(client, toVault, signal)
    const file = await findFile(client, address, signal)
    if (file) return await moveFile(client, file, { vault, path: targetOf(path, file.name), onConflict }, context)
    const folder = requireFolder(address)
    const { id: vaultId } = await findVault(client, folder.vault, signal)
    // Between vaults, the service keeps both files.
    const elsewhere = vault.id === vaultId ? { onConflict } : { toVaultId: vault.id }
    const target = prefixOf(targetOf(path, nameOf(folder.path)))
    const asked = { vaultId, prefix: prefixOf(folder.path), to: target, ...elsewhere }
    await runJobOf(client, moveFiles(client, asked), from, context)
  },
})

interface Target {
  vault: Vault
  path: string
  onConflict: 'keep' | 'fail' | 'replace'
}

async function moveFile(
  client: Client,
  file: FileRecord,
  { vault, path, onConflict }: Target,
  { output, signal }: Context,
): Promise<void> {
  const elsewhere = vault.id === file.vaultId ? { onConflict } : { vaultId: vault.id }
  const moved = await updateFile(client, { fileId: file.id, path, ...elsewhere }, { signal })
  await output.result(moved, `${moved.id}  ${vault.slug}:${moved.path ?? path}`)
}
