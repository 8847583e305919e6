import { stat } from 'node:fs/promises'
import { dirname, relative } from 'node:path'
import type { Client, FileRecord, Vault } from '@tideport/sdk'
import type { VaultKey } from '@tideport/sdk/crypto'
import type { Context } from '../grammar/context.ts'
import { absent } from '../local/absent.ts'
import type { NameCodec } from '../local/encode-names.ts'
import type { Filter } from '../local/filter.ts'
import { foldersOf } from '../local/local-path.ts'
import { tellSkipped } from '../local/tell-skipped.ts'
import { type LocalFile, type Skipped, walkFiles } from '../local/walk-files.ts'
import { checkFile, type ReadContents, sizeOf } from '../private/read-contents.ts'
import { joinPath } from '../remote/address.ts'
import { filesUnder } from '../remote/find-files.ts'
import { PartlyFailed, tellFailure } from '../terminal/failures.ts'
import { forEach } from '../terminal/for-each.ts'
import type { Hashes } from './known-hashes.ts'

export interface Sides {
  client: Client
  root: string
  vault: Vault
  vaultKey: VaultKey | null
  contentsOf: ReadContents
  folder: string
  names: NameCodec
  isExcluded: Filter
}

export interface Differences {
  /** Files on one side only, or with different bytes; keyed by their path in the folder. */
  localOnly: LocalFile[]
  remoteOnly: { name: string; file: FileRecord }[]
  different: { name: string; local: LocalFile; file: FileRecord }[]
  same: string[]
  /** Local folders whose names are not in NFC, keyed by their name in the service. */
  spelled: Map<string, string>
  /** Local folders that contain parts of downloads. */
  partFolders: Set<string>
  failed: number
}

/** Lists both sides and compares bytes, not times: sizes first, then SHA-256. */
export async function compareSides(
  sides: Sides,
  { hashes, verbose }: { hashes: Hashes; verbose: boolean },
  context: Context,
): Promise<Differences> {
  const { local, ...about } = await readLocal(sides, verbose, context)
  const { remote, failed } = await readRemote(sides, context)
  const both = [...local.values()].filter(({ name }) => remote.has(name))
  const found: Differences = {
    localOnly: [...local.values()].filter(({ name }) => !remote.has(name)),
    remoteOnly: [...remote].filter(([name]) => !local.has(name)).map(([name, file]) => ({ name, file })),
    different: [],
    same: [],
    ...about,
    failed: about.failed + failed,
  }
  await forEach(
    both,
    { limit: 4, signal: context.signal, what: 'files' },
    async (one) => {
      const file = remote.get(one.name) as FileRecord
      if (await isSame(sides.contentsOf, one, file, hashes, context.signal)) found.same.push(one.name)
      else found.different.push({ name: one.name, local: one, file })
    },
    ({ path }, error) => tellFailure(context.output, { path }, path, error),
  ).catch((error: unknown) => {
    if (!(error instanceof PartlyFailed)) throw error
    found.failed += error.failed
  })
  return found
}

/** A file in `error` may have lost its bytes, so it counts as different. */
async function isSame(
  contentsOf: ReadContents,
  local: LocalFile,
  file: FileRecord,
  hashes: Hashes,
  signal: AbortSignal,
) {
  if (local.size !== sizeOf(file) || file.status === 'error') return false
  return (await hashes.ofLocal(local, signal)) === (await hashes.ofRemote(file, await contentsOf(file), signal))
}

/** A missing folder is empty. Two local names that are the same in the service cannot both be stored. */
async function readLocal({ root, names, isExcluded }: Sides, verbose: boolean, { output }: Context) {
  const local = new Map<string, LocalFile>()
  const spelled = new Map<string, string>()
  const partFolders = new Set<string>()
  const failures: [path: string, error: unknown][] = []
  const skipped: Skipped[] = []
  const report = {
    isExcluded,
    onSkipped: (one: Skipped) => skipped.push(one),
    onPart: (path: string) => partFolders.add(dirname(path)),
    onFailed: (path: string, error: unknown) => failures.push([path, error]),
  }
  if (await stat(root).catch(absent)) {
    for await (const file of walkFiles(root, report)) {
      const name = names.toService(file.name)
      const other = local.get(name)
      if (other)
        failures.push([
          file.path,
          new Error(`The service treats this name and ${other.path} as the same. Rename one of them`),
        ])
      else local.set(name, { ...file, name })
      if (relative(root, file.path) !== file.name) noteSpelling(spelled, file)
    }
  }
  for (const [path, error] of failures) await tellFailure(output, { path }, path, error)
  await tellSkipped(output, skipped, verbose)
  return { local, spelled, partFolders, failed: failures.length }
}

/** NFC and NFD forms of a name have the same number of slashes. */
function noteSpelling(spelled: Map<string, string>, { name, path }: LocalFile): void {
  let here = path
  for (const folder of foldersOf(name)) {
    here = dirname(here)
    spelled.set(folder, here)
  }
}

/** An unencrypted file of a private vault fails, because only the service vouches for it. */
async function readRemote({ client, vault, vaultKey, folder, names, isExcluded }: Sides, { output, signal }: Context) {
  const remote = new Map<string, FileRecord>()
  const cut = joinPath(folder, '').length
  let failed = 0
  for await (const file of filesUnder(client, vault.id, folder, signal)) {
    if (vaultKey === null && file.wrappedKey !== null)
      throw new Error(`${file.path} is encrypted, but the service reports its vault as public`)
    if (isExcluded(names.toLocal(file.path.slice(cut)), false)) continue
    try {
      await checkFile(client, file, signal)
      remote.set(file.path.slice(cut), file)
    } catch (error) {
      signal.throwIfAborted()
      failed++
      const from = `${vault.slug}:${file.path}`
      await tellFailure(output, { from, fileId: file.id }, from, error)
    }
  }
  return { remote, failed }
}
