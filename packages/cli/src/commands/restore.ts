import { type Client, type FileRecord, listFiles, readFile, restoreFile, restoreFiles } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import { connect } from '../profile/connect.ts'
import { type Address, parseAddress, prefixOf } from '../remote/address.ts'
import { findVault } from '../remote/find-vault.ts'
import { runJobOf } from '../remote/run-job.ts'
import { tellFailure } from '../terminal/failures.ts'
import { forEach } from '../terminal/for-each.ts'

export const restore = command({
  name: 'restore',
  summary: 'Restore files and folders from the trash',
  description:
    'If several trashed files have the same path, the file deleted last is restored. `tideport ls --trash` lists trashed files\n' +
    'with their IDs. For a folder, use VAULT:FOLDER/ (with the slash) or --recursive. The service restores all files of a\n' +
    'folder in a job; Ctrl-C cancels the job.',
  arguments: { file: { summary: 'VAULT:PATH, VAULT:FOLDER/, or a file ID', many: true } },
  options: { recursive: { type: 'boolean', short: 'r', summary: 'Restore all files of folders' } },
  async run({ file: names, recursive }, context) {
    const { output, signal } = context
    const client = await connect(context)
    await forEach(
      names,
      { limit: 1, signal, what: 'files' },
      async (name) => {
        const address = parseAddress(name)
        if ('vault' in address && (recursive || address.path.endsWith('/'))) {
          const { id: vaultId } = await findVault(client, address.vault, signal)
          const prefix = prefixOf(address.path)
          if (prefix === '') throw new Error('To restore a vault, use `tideport vaults restore`. Name a folder here')
          return await runJobOf(client, restoreFiles(client, { vaultId, prefix }), name, context)
        }
        const file = await findTrashed(client, address, signal)
        const restored = await restoreFile(client, { fileId: file.id }, { signal })
        await output.result(restored, `${restored.id}  ${restored.path ?? file.path}`)
      },
      (name, error) => tellFailure(output, { file: name }, name, error),
    )
  },
})

async function findTrashed(client: Client, address: Address, signal: AbortSignal): Promise<FileRecord> {
  if ('fileId' in address) return await readFile(client, { fileId: address.fileId }, { signal })
  const { id: vaultId } = await findVault(client, address.vault, signal)
  const name = address.path.split('/').at(-1) as string
  let last: FileRecord | undefined
  for await (const file of listFiles(client, { vaultId, trashed: true, q: name, limit: 100 }, { signal })) {
    if (file.path === address.path && (file.deletedAt ?? '') > (last?.deletedAt ?? '')) last = file
  }
  if (last) return last
  throw new Error(`${address.vault}:${address.path} is not in the trash`)
}
