import { download } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import { connect } from '../profile/connect.ts'
import { parseAddress } from '../remote/address.ts'
import { requireFile } from '../remote/find-files.ts'

export const cat = command({
  name: 'cat',
  summary: 'Write the bytes of files to stdout',
  description:
    'A whole file is compared with its SHA-256: if that is wrong the command fails, after what it has written.',
  arguments: { file: { summary: 'VAULT:PATH or the id of a file', many: true } },
  async run({ file: names }, context) {
    const client = await connect(context)
    for (const name of names) {
      const file = await requireFile(client, parseAddress(name), context.signal)
      const { body } = await download(client, file, { signal: context.signal })
      for await (const chunk of body) await context.output.bytes(chunk)
    }
  },
})
