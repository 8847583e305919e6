import { lstat, rm, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { absent } from './absent.ts'
import { passingPart } from './part-file.ts'

export type NameKey = (name: string) => string

const exactly: NameKey = (name) => name

/** Key by which the disk of a folder distinguishes names: case-insensitive on most Macs and on Windows. */
export async function nameKeyOf(folder: string): Promise<NameKey> {
  const probe = passingPart(folder)
  try {
    await writeFile(probe, '', { flag: 'wx' })
    const isFolded = await lstat(join(folder, basename(probe).toUpperCase())).catch(absent)
    return isFolded ? (name) => name.toLowerCase() : exactly
  } catch {
    // Nothing will be written to a folder that is not writable.
    return exactly
  } finally {
    await rm(probe, { force: true })
  }
}

/** Paths that clash with an earlier path on the disk, each with a sentence. */
export function findClashes(paths: Iterable<string>, keyOf: NameKey): Map<string, string> {
  const spelled = new Map<string, string>()
  const clashes = new Map<string, string>()
  if (keyOf === exactly) return clashes
  for (const path of paths) {
    const parts = path.split('/')
    const places = parts.map((_, index) => parts.slice(0, index + 1).join('/'))
    const clash = places.find((place) => (spelled.get(keyOf(place)) ?? place) !== place)
    if (clash)
      clashes.set(
        path,
        `"${clash}" and "${spelled.get(keyOf(clash))}" are the same name on this disk. Rename one of them`,
      )
    else for (const place of places) spelled.set(keyOf(place), place)
  }
  return clashes
}
