import { type Client, type FileRecord, listFiles, readContent, readFile } from '@tideport/sdk'
import { type Address, prefixOf } from './address.ts'
import { findVault } from './find-vault.ts'

/** The file at an address; of several at one path, the latest. Null if none exists. */
export async function findFile(client: Client, address: Address, signal: AbortSignal): Promise<FileRecord | null> {
  if ('fileId' in address) {
    const file = await readFile(client, { fileId: address.fileId }, { signal })
    if (file.id === address.fileId) return file
    throw new Error('The service returned a different file than requested')
  }
  if (address.path === '' || address.path.endsWith('/')) return null
  const { id: vaultId } = await findVault(client, address.vault, signal)
  const { path } = address
  // Exact matches come first, because a path sorts before all of its extensions.
  const listed = listFiles(client, { vaultId, prefix: path, sortBy: 'path', limit: 10 }, { signal })
  for await (const file of standing(client, { vaultId, prefix: path }, listed, signal))
    return file.path === path ? file : null
  return null
}

export async function requireFile(client: Client, address: Address, signal: AbortSignal): Promise<FileRecord> {
  const file = await findFile(client, address, signal)
  if (file) return file
  const { vault, path } = address as Extract<Address, { vault: string }>
  throw new Error(path === '' ? `"${vault}:" is a vault, not a file` : `File ${vault}:${path} does not exist`)
}

/** All files in a folder and its subfolders, one per path, sorted by path. Skips unfinished uploads. */
export async function* filesUnder(client: Client, vaultId: string, path: string, signal: AbortSignal) {
  const prefix = prefixOf(path) || undefined
  const listed = listFiles(client, { vaultId, prefix, sortBy: 'path', limit: 100 }, { signal })
  yield* standing(client, { vaultId, prefix }, listed, signal)
}

async function* standing(
  client: Client,
  { vaultId, prefix = '' }: { vaultId: string; prefix: string | undefined },
  files: AsyncIterable<FileRecord>,
  signal: AbortSignal,
) {
  let group: FileRecord[] = []
  for await (const file of files) {
    // The vault determines whether bytes are decrypted.
    if (file.vaultId !== vaultId) throw new Error('The service returned a file of another vault')
    if (!file.path.startsWith(prefix) || file.deletedAt !== null)
      throw new Error('The service returned a file outside the requested folder')
    if (file.status === 'uploading') continue
    if (group.length > 0 && group[0]?.path !== file.path) {
      yield await standingOf(client, group, signal)
      group = []
    }
    group.push(file)
  }
  if (group.length > 0) yield await standingOf(client, group, signal)
}

/**
 * If several files have the path, the service decides, because files may be moved or restored after their confirmation.
 */
async function standingOf(client: Client, group: FileRecord[], signal: AbortSignal): Promise<FileRecord> {
  const [first, ...others] = group as [FileRecord, ...FileRecord[]]
  if (others.length === 0) return first
  const { vaultId, path } = first
  const response = await readContent(client, { vaultId, path }, { signal, headers: { range: 'bytes=0-0' } })
  await response.body?.cancel()
  const id = response.headers.get('etag')?.replaceAll('"', '')
  return group.find((file) => file.id === id) ?? first
}
