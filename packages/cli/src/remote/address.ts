import { UsageError } from '../terminal/failures.ts'

/** A place in the service: a path in a vault (empty: all of it), or a file by its id. */
export type Address = { vault: string; path: string } | { fileId: string }

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const isId = (text: string): boolean => uuid.test(text)

/**
 * Whether a word names a place in the service and not on this machine: `photos:2026/a.jpg` does, `./a:b` and, on Windows,
 * `C:\photos` do not.
 */
export function isRemote(text: string): boolean {
  if (process.platform === 'win32' && /^[a-z]:/i.test(text)) return false
  return /^[^/\\:]+:/.test(text)
}

/** `VAULT:PATH`, or a file's id. Throws a `UsageError`. */
export function parseAddress(text: string): Address {
  if (isId(text)) return { fileId: text.toLowerCase() }
  if (!isRemote(text)) throw new UsageError(`"${text}" is neither VAULT:PATH nor the id of a file`)
  return parsePlace(text)
}

/** `VAULT:PATH`. Throws a `UsageError`. */
export function parsePlace(text: string): { vault: string; path: string } {
  const colon = text.indexOf(':')
  const [vault, path] = colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)]
  if (vault === '') throw new UsageError(`"${text}" names no vault`)
  return { vault, path: path.replace(/^\/+/, '').normalize('NFC') }
}

/** A folder's path without the slash at its end; empty: the vault itself. */
export const folderOf = (path: string): string => path.replace(/\/+$/, '')

export const joinPath = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)

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
