import { join } from 'node:path'

/** Throws a sentence for a path that leaves the folder, or that this system cannot store. */
export function localPath(folder: string, path: string, platform: NodeJS.Platform = process.platform): string {
  const parts = path.split('/')
  const isPossible = (part: string) => platform !== 'win32' || !isRefusedByWindows.test(part)
  if (parts.some((part) => /^\.{0,2}$/.test(part) || part.includes('\0') || !isPossible(part))) {
    throw new Error(`"${path}" is not a valid local path`)
  }
  return join(folder, ...parts)
}

/**
 * Device names are reserved with any extension, even after spaces. Windows also reserves them with superscript digits.
 */
const isRefusedByWindows =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are it
  /[\x01-\x1f<>:"\\|?*]|[. ]$|^(con|prn|aux|nul|conin\$|conout\$|(com|lpt)[\d\xb9\xb2\xb3]) *(\.|$)/i

/** Parent folders, innermost first: for `a/b/c`, `a/b` and `a`. */
export function foldersOf(name: string): string[] {
  const parts = name.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('/'))
}
