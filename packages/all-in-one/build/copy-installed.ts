import { cp } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { type LockedPackage, root } from './locked-packages.ts'

/** Files of a package that Node does not read, except licenses: most of the files, and half of the bytes. */
const unread = [
  /(?:\.[cm]?ts|\.map|(?<!licen[cs]e)\.md|\.markdown)$/i,
  /^(?:node_modules|\..*|docs?|examples?|benchmarks?)$/,
  /(?:^|\/)(?:tests?|__tests__)$/,
  // For bundlers. Node reads the CommonJS of the same packages.
  /(?:^|\/)(?:dist-es|build\/(?:esm|esnext))$/,
]

/** Copies packages of other projects, except those that differ by system, from the installation of the repository. */
export async function copyInstalled(packages: Map<string, LockedPackage>, directory: string): Promise<void> {
  const copied = [...packages].filter(([place, { link, os }]) => place.includes('node_modules/') && !link && !os)
  const second = copied.find(([place]) => !place.startsWith('node_modules/'))
  if (second) throw new Error(`${second[0]} has another version than node_modules. The package can contain only one.`)
  for (const [place] of copied) {
    const from = join(root, place)
    const isRead = (path: string) => !unread.some((pattern) => pattern.test(relative(from, path)))
    await cp(from, join(directory, place), { recursive: true, filter: isRead })
  }
}
