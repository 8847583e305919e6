import type { FileRecord } from '@tideport/sdk'
import { localPath } from '../local/local-path.ts'
import type { Differences } from './compare-sides.ts'
import { foldersOf } from './folders-of.ts'

export interface Incoming {
  file: FileRecord
  /** Throws a sentence for what cannot be the path of a file. */
  place: () => string
  /** What is only here, and cannot be beside it: a file where a folder is to be, or the other way round. */
  inTheWay: string | null
}

/** What comes from the service to this side, where to, and what is in its way. */
export function planIncoming(root: string, { localOnly, remoteOnly, different, spelled }: Differences): Incoming[] {
  const files = new Set(localOnly.map(({ name }) => name))
  const folders = new Map(localOnly.flatMap(({ name }) => foldersOf(name).map((folder) => [folder, name])))
  const inTheWayOf = (name: string) => folders.get(name) ?? foldersOf(name).find((one) => files.has(one)) ?? null
  return [
    ...remoteOnly.map(({ name, file }) => ({
      file,
      place: () => placeOf(root, name, spelled),
      inTheWay: inTheWayOf(name),
    })),
    ...different.map(({ local, file }) => ({ file, place: () => local.path, inTheWay: null })),
  ]
}

/** Folders that are here under another spelling of the same letters are not made a second time. */
function placeOf(root: string, name: string, spelled: Differences['spelled']): string {
  const folder = foldersOf(name).find((one) => spelled.has(one)) ?? ''
  return localPath(spelled.get(folder) ?? root, folder === '' ? name : name.slice(folder.length + 1))
}
