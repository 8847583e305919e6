import { type Client, deleteFile, type FileRecord } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import type { Context } from '../grammar/context.ts'
import { connect } from '../profile/connect.ts'
import { parseAddress } from '../remote/address.ts'
import { filesUnder, findFile } from '../remote/find-files.ts'
import { findVault } from '../remote/find-vault.ts'
import { confirmed } from '../terminal/ask.ts'
import { Cancelled } from '../terminal/failures.ts'
import { forEach } from '../terminal/for-each.ts'
import { tellFailure } from '../terminal/tell.ts'

export const rm = command({
  name: 'rm',
  summary: 'Move files to the trash, or remove them for good',
  arguments: { file: { summary: 'VAULT:PATH or the id of a file', many: true } },
  options: {
    recursive: { type: 'boolean', short: 'r', summary: 'Folders too, and all that is in them' },
    permanent: { type: 'boolean', summary: 'For good: nothing of it can be restored' },
    yes: { type: 'boolean', short: 'y', summary: 'Do not ask' },
  },
  async run({ file: names, recursive, permanent, yes }, context) {
    const { output, signal } = context
    if (permanent && !(await confirmed(context, `Remove ${names.join(', ')} for good?`, yes))) {
      throw new Cancelled('Nothing was removed')
    }
    const client = await connect(context)
    const files = filesOf(client, names, recursive, context)
    await forEach(
      files,
      { limit: 4, signal, what: 'files' },
      async (file) => {
        if (file instanceof Missing) throw file
        const deleted = await deleteFile(client, { fileId: file.id, permanent }, { signal })
        await output.result(deleted, `${file.id}  ${file.path}`)
      },
      (file, error) => {
        const subject = file instanceof Missing ? { file: file.address } : { id: file.id, path: file.path }
        return tellFailure(output, subject, file instanceof Missing ? file.address : file.path, error)
      },
    )
  },
})

class Missing extends Error {
  readonly address: string

  constructor(address: string, sentence: string) {
    super(sentence)
    this.address = address
  }
}

async function* filesOf(client: Client, names: string[], recursive: boolean, { signal }: Context) {
  for (const name of names) {
    const address = parseAddress(name)
    let found = 0
    const file = await findFile(client, address, signal).catch((error: Error) => new Missing(name, error.message))
    if (file) {
      found++
      yield file as FileRecord | Missing
    }
    if (recursive && 'vault' in address) {
      const { id } = await findVault(client, address.vault, signal)
      for await (const one of filesUnder(client, id, address.path, signal)) {
        found++
        yield one
      }
    }
    if (found === 0)
      yield new Missing(name, recursive ? 'There is nothing' : 'There is no such file; folders go with --recursive')
  }
}
