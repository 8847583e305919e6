import { join } from 'node:path'

/**
 * Where in a folder a file of the service goes. Throws a sentence for a path that would lead out of the folder, or that
 * this system cannot have: the service is not believed about that.
 */
export function localPath(folder: string, path: string): string {
  const parts = path.split('/')
  if (parts.some((part) => /^\.{0,2}$/.test(part) || part.includes('\0') || !isPossible(part))) {
    throw new Error(`"${path}" cannot be the path of a file here`)
  }
  return join(folder, ...parts)
}

const isPossible = (part: string) =>
  process.platform !== 'win32' || !/[<>:"\\|?*]|[. ]$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i.test(part)
