import type { FileRecord } from '@tideport/sdk'
import { foldersOf, localPath } from '../local/local-path.ts'
import { findClashes, type NameKey } from '../local/one-name.ts'
import type { Differences, Sides } from './compare-sides.ts'

export interface Incoming {
  action: 'download' | 'replace'
  file: FileRecord
  /** Throws a sentence for an invalid local path. */
  place: () => string
  /** A local file or folder that blocks this one: of another type, or with the same name on this disk. */
  inTheWay: string | null
}

/** Incoming files with their local paths and blockers. `keyOf` distinguishes names on the disk. */
export function planIncoming(
  { root, names: { toLocal } }: Pick<Sides, 'root' | 'names'>,
  found: Differences,
  keyOf: NameKey,
): Incoming[] {
  const { different, spelled } = found
  const remoteOnly = found.remoteOnly.map(({ name, file }) => ({ name: toLocal(name), file }))
  const inTheWayOf = findInTheWay(
    found.localOnly.map(({ name }) => toLocal(name)),
    keyOf,
  )
  // Existing local files keep their names.
  const there = [...found.same, ...different.map(({ name }) => name)]
  const names = [...there.map(toLocal), ...remoteOnly.map(({ name }) => name)]
  const clashes = findClashes(names, keyOf)
  return [
    ...remoteOnly.map(({ name, file }) => ({
      action: 'download' as const,
      file,
      place: () => placeOf(root, name, spelled, clashes),
      inTheWay: inTheWayOf(name),
    })),
    ...different.map(({ local, file }) => ({
      action: 'replace' as const,
      file,
      place: () => local.path,
      inTheWay: null,
    })),
  ]
}

function findInTheWay(localOnly: readonly string[], keyOf: NameKey): (name: string) => string | null {
  const files = new Map(localOnly.map((name) => [keyOf(name), name]))
  const folders = new Map(
    localOnly.flatMap((name) => foldersOf(name).map((folder) => [keyOf(folder), { folder, name }])),
  )
  const inFolder = (folder: string) => {
    const there = folders.get(keyOf(folder))
    return there && there.folder !== folder ? there.name : undefined
  }
  const atFolder = (folder: string) => files.get(keyOf(folder)) ?? inFolder(folder)
  return (name) => {
    const at = folders.get(keyOf(name))?.name ?? files.get(keyOf(name))
    return (
      at ??
      foldersOf(name)
        .map(atFolder)
        .find((one) => one !== undefined) ??
      null
    )
  }
}

/** Reuses local folders whose names have another Unicode form. */
function placeOf(
  root: string,
  name: string,
  spelled: Differences['spelled'],
  clashes: ReadonlyMap<string, string>,
): string {
  const clash = clashes.get(name)
  if (clash) throw new Error(clash)
  const folder = foldersOf(name).find((one) => spelled.has(one)) ?? ''
  return localPath(spelled.get(folder) ?? root, folder === '' ? name : name.slice(folder.length + 1))
}
