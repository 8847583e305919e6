import type { Dirent } from 'node:fs'
import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Filter } from './filter.ts'
import { isPart } from './part-file.ts'

export interface LocalFile {
  path: string
  /** Relative to the walked folder, with slashes, in NFC like the names of the service. */
  name: string
  size: number
  mtimeMs: number
  ctimeMs: number
  inode: number
}

export interface Skipped {
  path: string
  kind: 'symbolic link' | 'pipe' | 'socket' | 'device'
}

export interface WalkReport {
  isExcluded?: Filter
  onSkipped?(skipped: Skipped): void
  /** Called with each part of an unfinished download, which is also skipped. */
  onPart?(path: string): void
  onFailed(path: string, error: unknown): void
}

export async function* walkFiles(root: string, report: WalkReport, within = ''): AsyncGenerator<LocalFile> {
  const folder = join(root, within)
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    report.onFailed(folder, readable(folder, error))
    return []
  })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = within === '' ? entry.name : `${within}/${entry.name}`
    const path = join(root, name)
    if (report.isExcluded?.(name, entry.isDirectory())) continue
    if (entry.isDirectory()) yield* walkFiles(root, report, name)
    else if (!entry.isFile()) report.onSkipped?.({ path, kind: kindOf(entry) })
    else if (isPart(entry.name)) report.onPart?.(path)
    else yield* lookAt(path, name, report)
  }
}

function kindOf(entry: Dirent): Skipped['kind'] {
  if (entry.isSymbolicLink()) return 'symbolic link'
  if (entry.isFIFO()) return 'pipe'
  return entry.isSocket() ? 'socket' : 'device'
}

async function* lookAt(path: string, name: string, report: WalkReport): AsyncGenerator<LocalFile> {
  try {
    const { size, mtimeMs, ctimeMs, ino: inode } = await lstat(path)
    yield { path, name: name.normalize('NFC'), size, mtimeMs, ctimeMs, inode }
  } catch (error) {
    report.onFailed(path, readable(path, error))
  }
}

/** Bytes that are not UTF-8 become replacement characters, and no file has the resulting path. */
function readable(path: string, error: unknown): unknown {
  const isNoText = (error as NodeJS.ErrnoException).code === 'ENOENT' && path.includes('\ufffd')
  return isNoText ? new Error('The name is not UTF-8. Rename the file') : error
}
