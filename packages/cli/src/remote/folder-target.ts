import { type Address, folderOf, joinPath } from './address.ts'

/** Where a file or a folder goes: into `VAULT:FOLDER/` under its own name, else to the path that was said. */
export const targetOf = (to: string, name: string): string =>
  to === '' || to.endsWith('/') ? joinPath(folderOf(to), name) : to

/** As the API names a folder: with a slash at its end, or empty. */
export const prefixOf = (path: string): string => (folderOf(path) === '' ? '' : `${folderOf(path)}/`)

/** The last part of a folder's path; of a whole vault none. */
export const nameOf = (path: string): string => folderOf(path).split('/').at(-1) as string

/** Throws a sentence for a file's id: what is no file is a folder. */
export function requireFolder(address: Address): { vault: string; path: string } {
  if ('fileId' in address) throw new Error('A folder is named by VAULT:FOLDER/')
  return address
}
