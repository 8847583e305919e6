import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises'
import type { Journal, JournalEntry } from '../transfer/find-finished.ts'

type Line = { key: string } & JournalEntry

export interface OpenJournal extends Journal {
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * A journal for `uploadMany` in a file, with one JSON line per change. Each line is on disk before the upload
 * continues. Ignores an incomplete last line. Only one process may use the file.
 */
export async function openJournal(path: string): Promise<OpenJournal> {
  const entries = await readEntries(path)
  const handle = await rewrite(path, entries)
  const append = batched((lines) => appendDurably(handle, lines))
  return {
    read: (key) => entries.get(key),
    write(key, entry) {
      entries.set(key, entry)
      return append({ key, ...entry })
    },
    close: () => handle.close(),
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

/** Lines that arrive during a disk write are written together, so many small files wait for few disk writes. */
function batched(write: (lines: Line[]) => Promise<void>): (line: Line) => Promise<void> {
  let waiting: Line[] = []
  let next: Promise<void> | null = null
  let last: Promise<void> = Promise.resolve()
  return (line) => {
    waiting.push(line)
    next ??= last
      .catch(() => {})
      .then(() => {
        const lines = waiting
        waiting = []
        next = null
        last = write(lines)
        return last
      })
    return next
  }
}

async function appendDurably(handle: FileHandle, lines: Line[]): Promise<void> {
  // Starts a new line after one that a full disk truncated.
  await handle.appendFile(`\n${lines.map((line) => `${JSON.stringify(line)}\n`).join('')}`)
  await handle.datasync()
}

async function readEntries(path: string): Promise<Map<string, JournalEntry>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const entries = text.split('\n').flatMap((line) => {
    try {
      const { key, ...entry } = JSON.parse(line) as Line
      return [[key, entry] as const]
    } catch {
      return []
    }
  })
  return new Map(entries)
}

async function rewrite(path: string, entries: Map<string, JournalEntry>): Promise<FileHandle> {
  // Deletes a leftover of an earlier run, or a planted link that could point elsewhere.
  await rm(`${path}.new`, { force: true })
  const handle = await open(`${path}.new`, 'wx', 0o600)
  await handle.writeFile([...entries].map(([key, entry]) => `${JSON.stringify({ key, ...entry })}\n`).join(''))
  await handle.datasync()
  await rename(`${path}.new`, path)
  return handle
}
