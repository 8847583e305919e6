import { publishFiles } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import { connect } from '../profile/connect.ts'
import { parseAddress, prefixOf } from '../remote/address.ts'
import { findFile } from '../remote/find-files.ts'
import { findVault } from '../remote/find-vault.ts'
import { runJobOf } from '../remote/run-job.ts'
import { tellFailure } from '../terminal/failures.ts'
import { forEach } from '../terminal/for-each.ts'

export const publish = command({
  name: 'publish',
  summary: 'Publish files received through upload links',
  description:
    '`tideport ls --review` lists these files. For a folder, use VAULT:FOLDER/ (with the slash) or --recursive. The service\n' +
    'publishes a folder in a job; Ctrl-C cancels the job.',
  arguments: { file: { summary: 'VAULT:PATH, VAULT:FOLDER/, or a file ID', many: true } },
  options: { recursive: { type: 'boolean', short: 'r', summary: 'Publish all files in folders' } },
  async run({ file: names, recursive }, context) {
    const { output, signal } = context
    const client = await connect(context)
    await forEach(
      names,
      { limit: 1, signal, what: 'files' },
      async (name) => {
        const address = parseAddress(name)
        if ('vault' in address && (recursive || address.path.endsWith('/') || address.path === '')) {
          const { id: vaultId } = await findVault(client, address.vault, signal)
          const prefix = prefixOf(address.path)
          return await runJobOf(client, publishFiles(client, { vaultId, prefix }), name, context)
        }
        const file = await findFile(client, address, signal)
        if (!file) throw new Error('No such file. To publish a folder, use --recursive')
        const { results } = await publishFiles(client, { vaultId: file.vaultId, ids: [file.id] }, { signal })
        const code = results?.[0]?.code ?? null
        if (code !== null) throw new Error(code)
        await output.result({ ...file, awaitingReview: false }, `${file.id}  ${file.path}`)
      },
      (name, error) => tellFailure(output, { file: name }, name, error),
    )
  },
})
