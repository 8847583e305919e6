import { glob, stat } from 'node:fs/promises'
import { basename, resolve } from 'node:path'
import type { NameCodec } from '../local/encode-names.ts'
import type { Filter } from '../local/filter.ts'
import { type LocalFile, type WalkReport, walkFiles } from '../local/walk-files.ts'
import { joinPath } from '../remote/address.ts'

export interface Outgoing extends Omit<LocalFile, 'name'> {
  target: string
}

interface Gathering extends WalkReport {
  /** The rules for a folder; null: for a file that is itself an argument, which is matched by its name. */
  filterOf(folder: string | null): Promise<Filter>
  names: NameCodec
}

/** Expands files, folders (`.` without its name), and patterns. Rejects for no match, or two files with one target. */
export async function gather(words: readonly string[], folder: string, how: Gathering): Promise<Outgoing[]> {
  const all = new Map<string, Outgoing>()
  for (const word of words) {
    for (const path of await expand(word)) {
      for await (const file of filesAt(path, folder, how)) {
        const other = all.get(file.target)
        if (other?.path === file.path) continue
        if (other) throw new Error(`${other.path} and ${file.path} have the same target ${file.target}`)
        all.set(file.target, file)
      }
    }
  }
  return [...all.values()]
}

async function expand(word: string): Promise<string[]> {
  const exists = await stat(word).then(
    () => true,
    () => false,
  )
  if (exists) return [word]
  const matches: string[] = []
  if (/[*?[{]/.test(word)) for await (const match of glob(word)) matches.push(match)
  if (matches.length === 0) throw new Error(`${word} does not exist`)
  return matches.toSorted()
}

async function* filesAt(
  word: string,
  folder: string,
  { filterOf, names, ...report }: Gathering,
): AsyncGenerator<Outgoing> {
  const path = resolve(word)
  const stats = await stat(path)
  const { size, mtimeMs, ctimeMs, ino: inode } = stats
  const own = word === '.' || word.endsWith('/.') ? '' : basename(path).normalize('NFC')
  const targetOf = (name: string) => joinPath(folder, names.toService(name))
  const isExcluded = await filterOf(stats.isDirectory() ? path : null)
  if (stats.isFile() && isExcluded(basename(path), false)) return
  if (stats.isFile()) return yield { path, size, mtimeMs, ctimeMs, inode, target: targetOf(own) }
  if (!stats.isDirectory()) throw new Error(`${word} is neither a file nor a folder`)
  for await (const { name, ...file } of walkFiles(path, { ...report, isExcluded }))
    yield { ...file, target: targetOf(joinPath(own, name)) }
}
