import { stat } from 'node:fs/promises'
import type { Client, FileRecord } from '@tideport/sdk'
import { command } from '../grammar/command.ts'
import { absent } from '../local/absent.ts'
import { hashFile } from '../local/hash-file.ts'
import { localPath } from '../local/local-path.ts'
import { type Contents, hashContents, openContents, unencryptedOption } from '../private/read-contents.ts'
import { connect } from '../profile/connect.ts'
import { folderOf, parseAddress } from '../remote/address.ts'
import { filesUnder, findFile } from '../remote/find-files.ts'
import { findVault } from '../remote/find-vault.ts'
import { tellFailure } from '../terminal/failures.ts'
import { forEach } from '../terminal/for-each.ts'

export const verify = command({
  name: 'verify',
  summary: 'Read files and check their hashes',
  description:
    'Reads every byte and compares the SHA-256 of each file with the hash that the service stores. If the service has no hash\n' +
    'yet, the bytes are only read. With --local, also compares the files with local files. Private files are decrypted and\n' +
    'authenticated with the vault key.',
  arguments: { file: { summary: 'VAULT:PATH, VAULT:FOLDER, VAULT:, or a file ID' } },
  options: {
    encrypted: { type: 'boolean', summary: 'Verify the stored, encrypted bytes; needs no key' },
    unencrypted: unencryptedOption,
    local: {
      type: 'string',
      value: 'PATH',
      isPath: true,
      summary: 'Local file or folder to compare with',
    },
  },
  async run({ file: name, encrypted, unencrypted, local }, context) {
    const { output, signal } = context
    const client = await connect(context)
    const contentsOf = await openContents(context, client, { encrypted, unencrypted })
    const files = filesToRead(client, name, local, signal)
    await forEach(
      files,
      { limit: 3, signal, what: 'files' },
      async ({ file, path }) => {
        const contents = await contentsOf(file)
        const sha256 = await hashContents(contents, signal)
        if (path !== undefined) await compare(path, contents, sha256, signal)
        const told = {
          id: file.id,
          path: file.path,
          sha256,
          ok: true,
          ...(!contents.isEncrypted && { encrypted: false }),
        }
        await output.result(told, `ok  ${sha256}  ${file.path}`)
      },
      ({ file }, error) => tellFailure(output, { id: file.id, path: file.path, ok: false }, file.path, error),
    )
  },
})

interface Comparison {
  file: FileRecord
  path: string | undefined
}

async function* filesToRead(
  client: Client,
  name: string,
  local: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<Comparison> {
  const address = parseAddress(name)
  const file = await findFile(client, address, signal)
  if (file) return yield { file, path: local }
  const { vault, path } = address as Extract<typeof address, { vault: string }>
  const folder = folderOf(path)
  const { id } = await findVault(client, vault, signal)
  let found = 0
  for await (const one of filesUnder(client, id, folder, signal)) {
    found++
    const within = folder === '' ? one.path : one.path.slice(folder.length + 1)
    yield { file: one, path: local === undefined ? undefined : localPath(local, within) }
  }
  if (found === 0) throw new Error(`No file or folder found at ${name}`)
}

async function compare(path: string, { sizeBytes }: Contents, sha256: string, signal: AbortSignal): Promise<void> {
  const there = await stat(path).catch(absent)
  if (!there) throw new Error(`${path} is missing`)
  if (there.size !== sizeBytes || (await hashFile(path, signal)) !== sha256) throw new Error(`${path} differs`)
}
