import { lstat, readdir } from 'node:fs/promises'
import { join } from 'node:path'

/** A file of this machine, as it was when it was looked at. */
export interface LocalFile {
  /** Where it is. */
  path: string
  /** From the folder that was walked, with slashes; in NFC, as the service keeps names. */
  name: string
  size: number
  mtimeMs: number
  ctimeMs: number
  inode: number
}

export interface WalkReport {
  /** Symbolic links, sockets and the like, which are passed over. */
  onSkipped?(path: string): void
  /** What could not be read; the rest is. */
  onFailed(path: string, error: unknown): void
}

/** All files in a folder and below, by name. */
export async function* walkFiles(root: string, report: WalkReport, within = ''): AsyncGenerator<LocalFile> {
  const folder = join(root, within)
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    report.onFailed(folder, error)
    return []
  })
  for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
    const name = within === '' ? entry.name : `${within}/${entry.name}`
    const path = join(root, name)
    if (entry.isDirectory()) yield* walkFiles(root, report, name)
    else if (!entry.isFile()) report.onSkipped?.(path)
    else if (!isOurs(entry.name)) yield* lookAt(path, name, report)
  }
}

async function* lookAt(path: string, name: string, report: WalkReport): AsyncGenerator<LocalFile> {
  try {
    const { size, mtimeMs, ctimeMs, ino: inode } = await lstat(path)
    yield { path, name: name.normalize('NFC'), size, mtimeMs, ctimeMs, inode }
  } catch (error) {
    report.onFailed(path, error)
  }
}

/** What a download leaves that is not over. */
const isOurs = (name: string) => /^\.tideport-[0-9a-f-]{36}\.part(\.lock\.|$)/.test(name)
