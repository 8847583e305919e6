import { randomUUID } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { BackupTarget, Stored } from './target.ts'

const UNFINISHED = 'unfinished'
const STATS = 64

/** Folders and files are readable only by their owner. */
export function openDirectoryTarget(dir: string): BackupTarget {
  const changed = new Set<string>()

  async function makeFolder(path: string): Promise<void> {
    const first = await mkdir(path, { recursive: true, mode: 0o700 })
    if (first === undefined) return
    for (let made = path; made.length >= first.length; made = dirname(made)) changed.add(dirname(made))
  }

  async function* list(prefix: string): AsyncGenerator<Stored> {
    const entries = await readdir(join(dir, prefix), { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    })
    const names = entries
      .map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name))
      .filter((name) => prefix !== '' || name !== `${UNFINISHED}/`)
      .toSorted((a, b) => (a < b ? -1 : 1))
    for (let start = 0; start < names.length; start += STATS) {
      const batch = names.slice(start, start + STATS)
      const sizes = await Promise.all(
        batch.map(async (name) => (name.endsWith('/') ? null : (await stat(join(dir, prefix, name))).size)),
      )
      for (const [index, sizeBytes] of sizes.entries()) {
        const name = `${prefix}${batch[index]}`
        if (sizeBytes === null) yield* list(name)
        else yield { name, sizeBytes }
      }
    }
  }

  return {
    list,

    async put(name, bytes, signal) {
      const path = join(dir, name)
      const draft = join(dir, UNFINISHED, randomUUID())
      await makeFolder(dirname(draft))
      await makeFolder(dirname(path))
      try {
        await pipeline(Readable.from(bytes), createWriteStream(draft, { flags: 'wx', mode: 0o600, flush: true }), {
          signal,
        })
        await rename(draft, path)
        changed.add(dirname(path))
      } finally {
        await rm(draft, { force: true })
      }
    },

    async open(name) {
      try {
        return (await open(join(dir, name))).createReadStream()
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
        throw error
      }
    },

    remove: (name) => rm(join(dir, name), { force: true }),

    async flush() {
      for (const path of changed) {
        await using folder = await open(path, 'r')
        await folder.sync()
      }
      changed.clear()
    },

    removeUnfinished: () => rm(join(dir, UNFINISHED), { recursive: true, force: true }),

    [Symbol.dispose]() {},
  }
}
