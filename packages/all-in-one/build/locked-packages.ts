import { readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface LockedPackage {
  name?: string
  version?: string
  link?: boolean
  resolved?: string
  os?: string[]
  dependencies?: Record<string, string>
  optionalDependencies?: Record<string, string>
  peerDependencies?: Record<string, string>
  devDependencies?: Record<string, string>
}

export const root = join(import.meta.dirname, '../../..')

const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockedPackage>
}

/** A workspace and all packages that run with it, by their places in the repository, without a package and its own. */
export function lockedPackages(folder: string, without?: string): Map<string, LockedPackage> {
  const found = new Map<string, LockedPackage>()
  function take(place: string): void {
    const locked = lock.packages[place] as LockedPackage
    if (found.has(place)) return
    found.set(place, locked)
    if (locked.link) take(locked.resolved as string)
    const { dependencies, optionalDependencies, peerDependencies } = locked
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies, ...peerDependencies })) {
      const at = name === without ? undefined : placeOf(name, place)
      if (at !== undefined) take(at)
    }
  }
  take(folder)
  return found
}

/** Where Node finds a package for the code in `from`. Undefined if an optional package is not locked. */
function placeOf(name: string, from: string): string | undefined {
  const place = join(from, 'node_modules', name)
  if (place in lock.packages) return place
  return from === '.' || from === '' ? undefined : placeOf(name, join(from, '..'))
}
