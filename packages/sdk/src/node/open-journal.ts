import { type FileHandle, open, readFile, rename, rm } from 'node:fs/promises'
import type { Journal, JournalEntry } from '../transfer/find-finished.ts'

type Line = { key: string } & JournalEntry

export interface OpenJournal extends Journal {
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/**
 * The journal of `uploadMany` in a file, a line of JSON for each change; what was written is on the disk before an
 * upload goes on. A line that a crash cut off is passed over. One process at a time.
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

/** What comes while lines are on their way to the disk goes there together: a disk is waited for, however small the files. */
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
  // Behind a line that a full disk cut off a new one begins.
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
  // What a run before left, or somebody put there: a link would lead elsewhere.
  await rm(`${path}.new`, { force: true })
  const handle = await open(`${path}.new`, 'wx', 0o600)
  await handle.writeFile([...entries].map(([key, entry]) => `${JSON.stringify({ key, ...entry })}\n`).join(''))
  await handle.datasync()
  await rename(`${path}.new`, path)
  return handle
}
