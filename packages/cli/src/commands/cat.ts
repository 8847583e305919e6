import { command } from '../grammar/command.ts'
import { openContents, unencryptedOption } from '../private/read-contents.ts'
import { connect } from '../profile/connect.ts'
import { parseAddress } from '../remote/address.ts'
import { requireFile } from '../remote/find-files.ts'
import { bwlimitOption, openPace, paceContents } from '../transfer/bandwidth-limit.ts'

export const cat = command({
  name: 'cat',
  summary: 'Write the bytes of files to stdout',
  description:
    'A whole file is compared with its SHA-256: if that is wrong the command fails, after what it has written. Of a file in\n' +
    'a private vault nothing is written that its key does not vouch for.',
  arguments: { file: { summary: 'VAULT:PATH or the id of a file', many: true } },
  options: {
    encrypted: { type: 'boolean', summary: 'As it is stored, where it is encrypted' },
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
