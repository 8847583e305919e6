import { copyFiles } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import { onConflictOption } from '../grammar/on-conflict.ts'
import { connect } from '../profile/connect.ts'
import { nameOf, parseAddress, parsePlace, prefixOf, requireFolder, targetOf } from '../remote/address.ts'
import { findFile } from '../remote/find-files.ts'
import { findVault } from '../remote/find-vault.ts'
import { runJobOf } from '../remote/run-job.ts'
import { UsageError } from '../terminal/failures.ts'

export const cp = command({
  name: 'cp',
  summary: 'Copy a file or folder within the service',
  description:
    'The service copies the files in a job; Ctrl-C cancels the job. With a target of VAULT:FOLDER/ (with the slash), a folder\n' +
    'keeps its name. A file always keeps its name. Two vaults must be both public or both private. Copies in another private\n' +
    'vault stay encrypted with the key of the first vault.',
  arguments: {
    from: { summary: 'VAULT:PATH, VAULT:FOLDER/, or a file ID' },
    to: { summary: 'VAULT:FOLDER or VAULT:FOLDER/; for a file, VAULT:FOLDER/' },
  },
  options: { onConflict: onConflictOption('fail') },
  async run({ from, to, onConflict = 'fail' }, context) {
    const { signal } = context
    const client = await connect(context)
    const address = parseAddress(from)
    const { vault: toVault, path } = parsePlace(to)
    const { id: toVaultId } = await findVault(client, toVault, signal)
    const file = await findFile(client, address, signal)
    if (file && path !== '' && !path.endsWith('/')) {
      throw new UsageError('A copied file keeps its name. Use VAULT:FOLDER/, with the slash, as the target')
    }
    const folder = file ? null : requireFolder(address)
    const vaultId = file?.vaultId ?? (await findVault(client, folder?.vault as string, signal)).id
    const what = file
      ? { ids: [file.id], to: prefixOf(path) }
      : { prefix: prefixOf(folder?.path ?? ''), to: prefixOf(targetOf(path, nameOf(folder?.path ?? ''))) }
    const asked = { vaultId, ...what, onConflict, ...(toVaultId !== vaultId && { toVaultId }) }
    await runJobOf(client, copyFiles(client, asked), from, context)
  },
})
