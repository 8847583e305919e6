import { type Client, deleteFile, deleteFiles, listFiles, trashFiles } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import type { Context } from '../grammar/context.ts'
import { connect } from '../profile/connect.ts'
import { parseAddress, prefixOf } from '../remote/address.ts'
import { findFile } from '../remote/find-files.ts'
import { findVault } from '../remote/find-vault.ts'
import { runJob } from '../remote/run-job.ts'
import { confirmed } from '../terminal/ask.ts'
import { Cancelled, tellFailure } from '../terminal/failures.ts'
import { forEach } from '../terminal/for-each.ts'

export const rm = command({
  name: 'rm',
  summary: 'Move files and folders to the trash, or delete them permanently',
  description:
    'For a folder, use VAULT:FOLDER/ (with the slash) or --recursive. The service deletes the files of a folder in a job;\n' +
    'Ctrl-C cancels the job.',
  arguments: { file: { summary: 'VAULT:PATH, VAULT:FOLDER/, or a file ID', many: true } },
  options: {
    recursive: { type: 'boolean', short: 'r', summary: 'Delete all files in folders' },
    permanent: { type: 'boolean', summary: 'Delete permanently, without the trash' },
    yes: { type: 'boolean', short: 'y', summary: 'Skip the confirmation' },
  },
  async run({ file: names, recursive, permanent, yes }, context) {
    const { output, signal } = context
    if (permanent && !(await confirmed(context, `Delete ${names.join(', ')} permanently?`, yes))) {
      throw new Cancelled('Nothing was deleted')
    }
    const client = await connect(context)
    await forEach(
      names,
      { limit: 4, signal, what: names.length === 1 ? 'files' : 'files and folders' },
      (name) => removeAt(client, name, { recursive, permanent }, context),
      (name, error) => tellFailure(output, { file: name }, name, error),
    )
  },
})

interface How {
  recursive: boolean
  permanent: boolean
}

/** Removes the file, and the folder if folders are included: both may have the same name. */
async function removeAt(client: Client, name: string, how: How, context: Context): Promise<void> {
  const { output, signal } = context
  const address = parseAddress(name)
  const isFolder = 'vault' in address && (how.recursive || address.path.endsWith('/'))
  const file = await findFile(client, address, signal)
  if (file) {
    const deleted = await deleteFile(client, { fileId: file.id, permanent: how.permanent }, { signal })
    await output.result(deleted, `${file.id}  ${file.path}`)
  }
  if (!isFolder) {
    if (!file) throw new Error('No such file. To delete a folder, use --recursive')
    return
  }
  const { id: vaultId } = await findVault(client, address.vault, signal)
  const remove = how.permanent ? deleteFiles : trashFiles
  const empty = (prefix: string) => runJob(client, remove(client, { vaultId, prefix }), context)
  const prefix = prefixOf(address.path)
  const count = prefix === '' ? await emptyVault(client, vaultId, how, empty, context) : await empty(prefix)
  if (count === 0 && !file) throw new Error('No files found')
}

/**
 * Removes files outside folders one by one, and each folder with a job, because no job removes the files of a complete
 * vault.
 */
async function emptyVault(
  client: Client,
  vaultId: string,
  { permanent }: How,
  empty: (prefix: string) => Promise<number>,
  { output, signal }: Context,
): Promise<number> {
  let count = 0
  for (let isMore = true; isMore; ) {
    const page = await listFiles(client, { vaultId, delimiter: '/', limit: 100 }, { signal }).page()
    const files = page.files.filter(({ status }) => status !== 'uploading')
    for (const { path } of page.folders ?? []) count += await empty(path)
    for (const { id, path } of files) {
      await output.result(await deleteFile(client, { fileId: id, permanent }, { signal }), `${id}  ${path}`)
    }
    count += files.length
    isMore = page.nextCursor !== null && files.length + (page.folders ?? []).length > 0
  }
  return count
}
