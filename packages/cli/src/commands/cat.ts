import { command } from '../grammar/command.ts'
import { openContents, unencryptedOption } from '../private/read-contents.ts'
import { connect } from '../profile/connect.ts'
import { parseAddress } from '../remote/address.ts'
import { requireFile } from '../remote/find-files.ts'
import { bwlimitOption, openPace, paceContents } from '../transfer/bandwidth-limit.ts'

export const cat = command({
  name: 'cat',
  summary: 'Write files to stdout',
  description:
    'The SHA-256 of a complete file is checked. If it does not match, the command fails, but the bytes have been written.\n' +
    'Bytes of a private file are authenticated with the vault key before they are written.',
  arguments: { file: { summary: 'VAULT:PATH or a file ID', many: true } },
  options: {
    encrypted: { type: 'boolean', summary: 'Write the stored, encrypted bytes of private files' },
    unencrypted: unencryptedOption,
    bwlimit: bwlimitOption,
  },
  async run({ file: names, encrypted, unencrypted, bwlimit }, context) {
    const client = await connect(context)
    const contentsOf = paceContents(await openContents(context, client, { encrypted, unencrypted }), openPace(bwlimit))
    for (const name of names) {
      const file = await requireFile(client, parseAddress(name), context.signal)
      const { open } = await contentsOf(file)
      for await (const chunk of await open(0, context.signal)) await context.output.bytes(chunk)
    }
  },
})
