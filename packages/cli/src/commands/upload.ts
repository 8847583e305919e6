import { command } from '../grammar/command.ts'
import type { Context } from '../grammar/context.ts'
import { onConflictOption } from '../grammar/on-conflict.ts'
import { encodeNamesOption, namesBy } from '../local/encode-names.ts'
import { filterOptions, openFilter } from '../local/filter.ts'
import { tellSkipped, verboseOption } from '../local/tell-skipped.ts'
import type { Skipped } from '../local/walk-files.ts'
import { openVault } from '../private/open-vault.ts'
import { connect } from '../profile/connect.ts'
import { folderOf, joinPath, parsePlace } from '../remote/address.ts'
import { findVault } from '../remote/find-vault.ts'
import { parseCount } from '../terminal/amounts.ts'
import { tellFailure, UsageError } from '../terminal/failures.ts'
import { bwlimitOption, openPace } from '../transfer/bandwidth-limit.ts'
import { gather } from '../transfer/gather.ts'
import { uploadFiles } from '../transfer/upload-files.ts'
import { uploadStdin } from '../transfer/upload-stream.ts'

export const upload = command({
  name: 'upload',
  summary: 'Upload files, folders, or stdin',
  description:
    'A folder is uploaded with its name and contents; `.` uploads only the contents. Symbolic links in folders are skipped.\n' +
    '`-` reads stdin and needs --name. To resume after Ctrl-C or a crash, run the same command again within a day; data that\n' +
    'has already arrived is not sent again.',
  arguments: { path: { summary: 'Files, folders, or patterns; - for stdin', many: true, isPath: true } },
  options: {
    to: { type: 'string', value: 'VAULT:FOLDER', summary: 'Target folder (default: the default vault)' },
    name: { type: 'string', value: 'NAME', summary: 'File name for stdin' },
    onConflict: onConflictOption('replace'),
    tag: { type: 'string', value: 'TAG', multiple: true, summary: 'Tag for each file; repeatable' },
    parallel: { type: 'string', value: 'N', summary: 'Concurrent files, 1 to 32 (default: 6)' },
    ...filterOptions,
    bwlimit: bwlimitOption,
    encodeNames: encodeNamesOption,
    verbose: verboseOption,
  },
  async run(
    {
      path: words,
      to = 'default',
      name,
      onConflict = 'replace',
      tag,
      parallel = '6',
      bwlimit,
      encodeNames,
      verbose,
      given,
    },
    context,
  ) {
    const { output, signal } = context
    const pace = openPace(bwlimit)
    const client = await connect(context)
    const place = parsePlace(to)
    const vault = await findVault(client, place.vault, signal)
    const vaultKey = vault.visibility === 'private' ? await openVault(context, client, vault.id) : null
    const folder = folderOf(place.path)
    const fields = { onConflict, ...(tag.length > 0 && { tags: tag }) }
    if (words.includes('-')) {
      if (words.length > 1 || name === undefined)
        throw new UsageError('stdin needs --name and cannot be combined with other paths')
      const target = joinPath(folder, name)
      const file = await uploadStdin(client, { vault, vaultKey, target, fields, pace }, context)
      const { id: fileId, sizeBytes, status } = file
      await output.result({ path: '-', to: `${vault.slug}:${target}`, fileId, sizeBytes, status }, `${fileId}  ${vault.slug}:${target}`) // biome-ignore format: one claim
      return
    }
    if (name !== undefined) throw new UsageError('--name applies only to stdin')
    const how = { names: namesBy(encodeNames, folder), filterOf: (root: string | null) => openFilter(given, root) }
    const { files, failed } = await gatherAndTell(words, folder, { ...how, verbose }, context)
    const run = [files.length < 1000 ? files.map(({ path }) => path) : words, process.cwd(), folder, onConflict, tag]
    await uploadFiles(client, { vault, vaultKey, files, run, pace, fieldsOf: () => fields, parallel: parseCount('parallel', parallel, 32), failedBefore: failed }, context) // biome-ignore format: one call
  },
})

type How = Pick<Parameters<typeof gather>[2], 'names' | 'filterOf'> & { verbose: boolean }

/** Reports unreadable files immediately, and counts them for the exit code. */
async function gatherAndTell(words: readonly string[], folder: string, { verbose, ...how }: How, { output }: Context) {
  const skipped: Skipped[] = []
  let failed = 0
  const tellings: Promise<void>[] = []
  const files = await gather(words, folder, {
    ...how,
    onSkipped: (one) => skipped.push(one),
    onFailed: (path, error) => {
      failed++
      tellings.push(tellFailure(output, { path }, path, error))
    },
  })
  await Promise.all(tellings)
  await tellSkipped(output, skipped, verbose)
  return { files, failed }
}
