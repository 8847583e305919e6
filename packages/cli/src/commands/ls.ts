import { type FileRecord, listFiles, listTrash } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import { connect } from '../profile/connect.ts'
import { parsePlace, prefixOf } from '../remote/address.ts'
import { filesUnder, findFile } from '../remote/find-files.ts'
import { findVault } from '../remote/find-vault.ts'
import { formatBytes } from '../terminal/amounts.ts'

export const ls = command({
  name: 'ls',
  summary: 'List files and folders of a vault',
  description:
    'If several files have the same path, all of them are listed. With --recursive, each path is listed once.',
  arguments: { place: { summary: 'VAULT, VAULT:FOLDER, or VAULT:PATH' } },
  options: {
    recursive: { type: 'boolean', short: 'r', summary: 'Include files in subfolders' },
    trash: { type: 'boolean', summary: 'List the trash of the vault' },
    review: { type: 'boolean', summary: 'List received files of the vault that await review' },
  },
  async run({ place, recursive, trash, review }, context) {
    const { output, signal } = context
    const client = await connect(context)
    const { vault, path } = parsePlace(place)
    const { id: vaultId } = await findVault(client, vault, signal)
    if (trash) {
      for await (const file of listTrash(client, { limit: 100 }, { signal })) {
        if (file.vaultId === vaultId) await output.result(file, line(file))
      }
      return
    }
    if (review) {
      const listed = listFiles(client, { vaultId, awaitingReview: true, limit: 100 }, { signal })
      for await (const file of listed) await output.result(file, line(file))
      return
    }
    const file = await findFile(client, { vault, path }, signal)
    if (file) await output.result(file, line(file))
    let found = file ? 1 : 0
    if (recursive) {
      for await (const one of filesUnder(client, vaultId, path, signal)) {
        await output.result(one, line(one))
        found++
      }
    } else {
      const prefix = prefixOf(path) || undefined
      for await (const page of listFiles(client, { vaultId, prefix, delimiter: '/', limit: 100 }, { signal }).pages()) {
        for (const { path: folder } of page.folders ?? []) await output.result({ folder }, folderLine(folder))
        for (const one of page.files) await output.result(one, line(one))
        found += page.files.length + (page.folders ?? []).length
      }
    }
    if (found === 0 && path !== '') throw new Error(`No file or folder found at ${vault}:${path}`)
  },
})

const line = ({ id, status, createdAt, path, ...file }: FileRecord) =>
  `${id}  ${status.padEnd(9)}  ${formatBytes(file.plaintextSizeBytes ?? file.sizeBytes).padStart(7)}  ${createdAt.slice(0, 16).replace('T', ' ')}  ${path}`

const folderLine = (folder: string) => `${' '.repeat(74)}${folder}`
