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
  summary: 'Copy a file or a folder within the service',
  description:
    'By a job of the service: no bytes come here, and Ctrl-C cancels it. To VAULT:FOLDER/ (with the slash) a folder keeps its\n' +
    'name; a file always does. Between vaults, which have to be both public or both private, bytes of private ones stay\n' +
    'encrypted under the key of the first.',
  arguments: {
    from: { summary: 'VAULT:PATH, VAULT:FOLDER/ or the id of a file' },
    to: { summary: 'VAULT:FOLDER or VAULT:FOLDER/; of a file VAULT:FOLDER/' },
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
      throw new UsageError('A copy of a file keeps its name: say VAULT:FOLDER/, with the slash')
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
