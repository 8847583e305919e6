import { type Client, type FileRecord, listFiles, readFile, restoreFile } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import { connect } from '../profile/connect.ts'
import { type Address, parseAddress } from '../remote/address.ts'
import { findVault } from '../remote/find-vault.ts'
import { forEach } from '../terminal/for-each.ts'
import { tellFailure } from '../terminal/tell.ts'

export const restore = command({
  name: 'restore',
  summary: 'Take files out of the trash',
  description:
    'Of several files that were at a path, the one that was deleted last. `tideport ls --trash` lists them with their ids.',
  arguments: { file: { summary: 'VAULT:PATH or the id of a file', many: true } },
  async run({ file: names }, context) {
    const { output, signal } = context
    const client = await connect(context)
    await forEach(
      names,
      { limit: 1, signal, what: 'files' },
      async (name) => {
        const file = await findTrashed(client, parseAddress(name), signal)
        const restored = await restoreFile(client, { fileId: file.id }, { signal })
        await output.result(restored, `${restored.id}  ${restored.path}`)
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
