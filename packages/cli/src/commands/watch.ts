import { type FileRecord, waitFor } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import { connect } from '../profile/connect.ts'
import { parseAddress } from '../remote/address.ts'
import { requireFile } from '../remote/find-files.ts'

export const watch = command({
  name: 'watch',
  summary: 'Print each status of a file as it changes',
  description: 'Exits when the file reaches the status of --until or a later one. Fails if the file reaches `error`.',
  arguments: { file: { summary: 'VAULT:PATH or a file ID' } },
  options: {
    until: {
      type: 'string',
      choices: ['hot', 'synced', 'cold'],
      summary: 'Status to wait for (default: synced)',
    },
  },
  async run({ file: name, until = 'synced' }, context) {
    const { output, signal } = context
    const client = await connect(context)
    const file = await requireFile(client, parseAddress(name), signal)
    let last: Promise<void> = Promise.resolve()
    const onChange = (now: FileRecord) => {
      const at = new Date().toISOString()
      const { status, storageNetworkBlobId, error } = now
      const text = [at, status, error ?? storageNetworkBlobId ?? ''].join('  ').trimEnd()
      last = output.result({ at, fileId: now.id, status, storageNetworkBlobId, error }, text)
    }
    await waitFor(client, file, until, { signal, onChange })
    await last
  },
})
