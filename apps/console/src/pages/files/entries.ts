import type { FileRecord, ListFilesAnswer } from '@tideport/sdk'

/** `whole` stands for all files in the folder at its path. */
export type Entry =
  | { kind: 'whole'; key: string; name: string; path: string }
  | { kind: 'folder'; key: string; name: string; path: string }
  | { kind: 'file'; key: string; name: string; path: string; file: FileRecord }

/** Folders and files in one order, by path. Omits unconfirmed uploads. */
export function entriesOf({ files, folders = [] }: ListFilesAnswer, order: 'asc' | 'desc'): Entry[] {
  const entries: Entry[] = [
    ...folders.map(({ path }): Entry => ({ kind: 'folder', key: `folder:${path}`, name: lastOf(path), path })),
    ...files
      .filter(({ status }) => status !== 'uploading')
      .map((file): Entry => ({ kind: 'file', key: file.id, name: file.name, path: file.path, file })),
  ]
  if (folders.length === 0) return entries
  const sign = order === 'asc' ? 1 : -1
  return entries.sort((a, b) => (a.path < b.path ? -sign : sign))
}

/** Null: all entries of the folder. */
export const countOf = (entries: readonly Entry[]): number | null =>
  entries[0]?.kind === 'whole' ? null : entries.length

/** Of `2026/photos/`: `photos`. */
export const lastOf = (path: string): string => path.replace(/\/$/, '').split('/').at(-1) ?? ''

/** Of `2026/photos/` and of `2026/beach.jpg`: `2026/`. */
export const parentOf = (path: string): string => path.replace(/[^/]*\/?$/, '')

/** The ancestors of a folder: for `2026/photos/` the names `2026` and `photos`, each with its path. */
export function crumbsOf(folder: string): { name: string; path: string }[] {
  const names = folder.split('/').slice(0, -1)
  return names.map((name, index) => ({ name, path: `${names.slice(0, index + 1).join('/')}/` }))
}
