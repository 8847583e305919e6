import { type Client, type FileRecord, updateFile } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import type { Context } from '../grammar/context.ts'
import { connect } from '../profile/connect.ts'
import { type Address, folderOf, joinPath, parseAddress, parsePlace } from '../remote/address.ts'
import { filesUnder, findFile } from '../remote/find-files.ts'
import { findVault } from '../remote/find-vault.ts'
import { UsageError } from '../terminal/failures.ts'
import { forEach } from '../terminal/for-each.ts'
import { tellFailure } from '../terminal/tell.ts'

export const mv = command({
  name: 'mv',
  summary: 'Move or rename a file or a folder',
  description:
    'To VAULT:FOLDER/ (with the slash) it keeps its name. A folder is moved file by file: one that fails stays where it\n' +
    'was, and the same command goes on. Between vaults, which have to be both public or both private,\n' +
    'what is at the path stays beside it.',
  arguments: {
    from: { summary: 'VAULT:PATH, VAULT:FOLDER/ or the id of a file' },
    to: { summary: 'VAULT:PATH or VAULT:FOLDER/' },
  },
  options: {
    onConflict: {
      type: 'string',
      choices: ['keep', 'fail', 'replace'],
      summary:
        'If the path is taken: keep both, fail (unless told otherwise), or replace, which puts the other in the trash',
    },
  },
  async run({ from, to, onConflict = 'fail' }, context) {
    const { output, signal } = context
    const client = await connect(context)
    const target = parsePlace(to)
    const vault = await findVault(client, target.vault, signal)
    const source = parseAddress(from)
    const sourceVault = 'vault' in source ? (await findVault(client, source.vault, signal)).id : undefined
    refuseWithin(source, sourceVault, target.path, vault.id)
    const moves = movesOf(client, source, target.path, context)
    await forEach(
      moves,
      { limit: 4, signal, what: 'files' },
      async ({ file, path }) => {
        // Into another vault the service keeps both.
        const elsewhere = vault.id === file.vaultId ? { onConflict } : { vaultId: vault.id }
        const moved = await updateFile(client, { fileId: file.id, path, ...elsewhere }, { signal })
        await output.result(moved, `${moved.id}  ${target.vault}:${moved.path}`)
      },
      ({ file }, error) => tellFailure(output, { id: file.id, path: file.path }, file.path, error),
    )
  },
})

interface Move {
  file: FileRecord
  path: string
}

async function* movesOf(client: Client, from: Address, to: string, { signal }: Context): AsyncGenerator<Move> {
  const isFolder = to === '' || to.endsWith('/')
  const file = await findFile(client, from, signal)
  if (file) return yield { file, path: isFolder ? joinPath(folderOf(to), file.name) : to }
  const { vault, path } = from as Extract<Address, { vault: string }>
  const folder = folderOf(path)
  const target = isFolder ? joinPath(folderOf(to), folder.split('/').at(-1) as string).replace(/\/$/, '') : to
  const { id } = await findVault(client, vault, signal)
  let found = 0
  for await (const one of filesUnder(client, id, folder, signal)) {
    found++
    yield { file: one, path: joinPath(target, folder === '' ? one.path : one.path.slice(folder.length + 1)) }
  }
  if (found === 0) throw new Error(`There is nothing at ${vault}:${path}`)
}

/** What is moved into itself would be met again and again. */
function refuseWithin(from: Address, source: string | undefined, to: string, target: string): void {
  if ('fileId' in from || source !== target) return
  const folder = folderOf(from.path)
  if (folder === '' || (`${folderOf(to)}/`.startsWith(`${folder}/`) && folderOf(to) !== folder)) {
    throw new UsageError('A folder cannot be moved into itself')
  }
}
