import { type FileHandle, open, readFile, rename } from 'node:fs/promises'
import type { Journal, JournalEntry } from '../transfer/upload-many.ts'

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
  let last: Promise<void> = Promise.resolve()
  return {
    read: (key) => entries.get(key),
    write(key, entry) {
      entries.set(key, entry)
      last = last.catch(() => {}).then(() => append(handle, { key, ...entry }))
      return last
    },
    close: () => handle.close(),
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

async function append(handle: FileHandle, line: Line): Promise<void> {
  await handle.appendFile(`${JSON.stringify(line)}\n`)
  await handle.datasync()
}

async function readEntries(path: string): Promise<Map<string, JournalEntry>> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return ''
    throw error
  })
  const lines = text.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line) as Line]
    } catch {
      return []
    }
  })
  return new Map(lines.map(({ key, ...entry }) => [key, entry]))
}

/** One line for each item, in place of all that were written in turn. */
async function rewrite(path: string, entries: Map<string, JournalEntry>): Promise<FileHandle> {
  const handle = await open(`${path}.new`, 'w', 0o600)
  await handle.writeFile([...entries].map(([key, entry]) => `${JSON.stringify({ key, ...entry })}\n`).join(''))
  await handle.datasync()
  await rename(`${path}.new`, path)
  return handle
}
