import { UsageError } from '../terminal/failures.ts'

/** A path in a vault (empty: all of the vault), or a file by its ID. */
export type Address = { vault: string; path: string } | { fileId: string }

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

export const isId = (text: string): boolean => uuid.test(text)

/** True for `photos:2026/a.jpg`; false for `./a:b` and, on Windows, `C:\photos`. */
export function isRemote(text: string): boolean {
  if (process.platform === 'win32' && /^[a-z]:/i.test(text)) return false
  return /^[^/\\:]+:/.test(text)
}

/** `VAULT:PATH`, or a file ID. Throws a `UsageError`. */
export function parseAddress(text: string): Address {
  if (isId(text)) return { fileId: text.toLowerCase() }
  if (!isRemote(text)) throw new UsageError(`"${text}" is neither VAULT:PATH nor a file ID`)
  return parsePlace(text)
}

/** `VAULT:PATH`. Throws a `UsageError`. */
export function parsePlace(text: string): { vault: string; path: string } {
  const colon = text.indexOf(':')
  const [vault, path] = colon < 0 ? [text, ''] : [text.slice(0, colon), text.slice(colon + 1)]
  if (vault === '') throw new UsageError(`"${text}" does not name a vault`)
  return { vault, path: path.replace(/^\/+/, '').normalize('NFC') }
}

export const folderOf = (path: string): string => path.replace(/\/+$/, '')

export const joinPath = (folder: string, name: string): string => (folder === '' ? name : `${folder}/${name}`)

/** Target of a file or folder: its own name in `VAULT:FOLDER/`, otherwise the given path. */
export const targetOf = (to: string, name: string): string =>
  to === '' || to.endsWith('/') ? joinPath(folderOf(to), name) : to

export const prefixOf = (path: string): string => (folderOf(path) === '' ? '' : `${folderOf(path)}/`)

export const nameOf = (path: string): string => folderOf(path).split('/').at(-1) as string

/** Throws a sentence for a file ID, because the address must be a folder. */
export function requireFolder(address: Address): { vault: string; path: string } {
  if ('fileId' in address) throw new Error('Name the folder as VAULT:FOLDER/')
  return address
}
