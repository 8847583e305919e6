import { basename, dirname, join, resolve } from 'node:path'
import type { Client, FileRecord } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import { encodeNamesOption, namesBy } from '../local/encode-names.ts'
import { type Filter, filterOptions, openFilter } from '../local/filter.ts'
import { localPath } from '../local/local-path.ts'
import { makeFolder } from '../local/make-folder.ts'
import { findClashes, nameKeyOf } from '../local/one-name.ts'
import { clearParts } from '../local/part-file.ts'
import { refuseLinks } from '../local/plain-folders.ts'
import { openContents, unencryptedOption } from '../private/read-contents.ts'
import { connect } from '../profile/connect.ts'
import { folderOf, parseAddress } from '../remote/address.ts'
import { filesUnder, findFile } from '../remote/find-files.ts'
import { findVault } from '../remote/find-vault.ts'
import { parseCount } from '../terminal/amounts.ts'
import { tellFailure, UsageError } from '../terminal/failures.ts'
import { forEach } from '../terminal/for-each.ts'
import { showProgress } from '../terminal/progress.ts'
import { bwlimitOption, openPace, paceContents } from '../transfer/bandwidth-limit.ts'
import { downloadFile, hasBytesOf, nameable } from '../transfer/download-file.ts'

export const download = command({
  name: 'download',
  summary: 'Download files and folders',
  description:
    'A file appears only when it is complete and its SHA-256 matches. If a file with the same bytes exists, it is skipped.\n' +
    'If a file with other bytes exists, the download of that file fails unless --overwrite is given. Private files are\n' +
    'decrypted. Interrupted downloads of large files resume.',
  arguments: { from: { summary: 'VAULT:PATH, VAULT:FOLDER, VAULT:, or a file ID', many: true } },
  options: {
    to: { type: 'string', value: 'FOLDER', isPath: true, summary: 'Target folder (default: the current folder)' },
    encrypted: { type: 'boolean', summary: 'Download the stored, encrypted bytes of private files' },
    unencrypted: unencryptedOption,
    overwrite: { type: 'boolean', summary: 'Replace existing files' },
    output: {
      type: 'string',
      short: 'o',
      value: 'FILE',
      isPath: true,
      summary: 'Local path of the file; only for a single file',
    },
    ...filterOptions,
    bwlimit: bwlimitOption,
    encodeNames: encodeNamesOption,
    parallel: { type: 'string', value: 'N', summary: 'Concurrent files, 1 to 32 (default: 6)' },
  },
  async run(input, context) {
    const { from, encrypted, unencrypted, overwrite, parallel = '6', given, output: as } = input
    const to = as === undefined ? (input.to ?? '.') : dirname(as)
    if (as !== undefined && input.to !== undefined) throw new UsageError('--output and --to cannot be combined')
    const { output, signal } = context
    const pace = openPace(input.bwlimit)
    const how = { isExcluded: await openFilter(given, null), isEncoding: input.encodeNames }
    const limit = parseCount('parallel', parallel, 32)
    const client = await connect(context)
    const contentsOf = paceContents(await openContents(context, client, { encrypted, unencrypted }), pace)
    const found = (await Promise.all(from.map((name) => filesAt(client, name, how, signal)))).flat()
    if (as !== undefined && (found.length !== 1 || !found[0]?.isNamed))
      throw new UsageError('--output takes a single file')
    const files = as === undefined ? found : found.map((one) => ({ ...one, name: basename(as) }))
    const bytes = files.reduce((sum, { file }) => sum + file.sizeBytes, 0)
    const progress = showProgress(output, { files: files.length, bytes })
    const unfinished = new Set(files.map(({ file }) => file.id))
    const touched = new Set<string>()
    const root = resolve(to)
    await makeFolder(root)
    const names = files.map(({ name }) => name)
    const clashes = findClashes(names, await nameKeyOf(root))
    try {
      await forEach(
        files,
        { limit, signal, what: 'files' },
        async ({ file, name }) => {
          const path = localPath(to, name)
          const clash = clashes.get(name)
          if (clash) throw new Error(clash)
          await refuseLinks(root, dirname(path))
          touched.add(dirname(path))
          const contents = await contentsOf(file)
          const { sizeBytes, isEncrypted } = contents
          const isThere = await hasBytesOf(contents, path, signal)
          const onMoved = (moved: number) => progress.moved(name, moved, sizeBytes)
          if (!isThere) await downloadFile(file, contents, { root, path, overwrite, signal, onMoved })
          unfinished.delete(file.id)
          progress.over(name, file.sizeBytes)
          const told = {
            path,
            fileId: file.id,
            sizeBytes,
            wasThere: isThere,
            ...(!isEncrypted && { encrypted: false }),
          }
          await output.result(told, path)
        },
        async ({ file, name }, error) => {
          progress.over(name, file.sizeBytes)
          await tellFailure(output, { fileId: file.id, path: join(to, name) }, name, nameable(error))
        },
      )
    } finally {
      progress.end()
      if (!signal.aborted) await clearParts(root, touched, unfinished)
    }
  },
})

interface Incoming {
  file: FileRecord
  /** Relative to the target folder. */
  name: string
  isNamed: boolean
}

interface Choice {
  isExcluded: Filter
  isEncoding: boolean
}

async function filesAt(client: Client, address: string, { isExcluded, isEncoding }: Choice, signal: AbortSignal) {
  const place = parseAddress(address)
  const file = await findFile(client, place, signal)
  if (file) {
    const name = namesBy(isEncoding, '').toLocal(file.name)
    return isExcluded(name, false) ? [] : [{ file, name, isNamed: true }]
  }
  const { vault, path } = place as Extract<typeof place, { vault: string }>
  const { id } = await findVault(client, vault, signal)
  const folder = folderOf(path)
  const cut = folder === '' ? 0 : folder.length - basename(folder).length
  const inFolder = namesBy(isEncoding, folder)
  const inParent = namesBy(isEncoding, folder.slice(0, cut))
  const files: Incoming[] = []
  let found = 0
  for await (const one of filesUnder(client, id, folder, signal)) {
    found++
    const within = inFolder.toLocal(folder === '' ? one.path : one.path.slice(folder.length + 1))
    if (!isExcluded(within, false))
      files.push({ file: one, name: inParent.toLocal(one.path.slice(cut)), isNamed: false })
  }
  if (found === 0) throw new Error(`No file or folder found at ${address}`)
  return files
}
