import type { ObjectView } from '@tideport/contracts/internal/objects'
import { endOf } from '@tideport/file-lifecycle/state/queries'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { type Kysely, sql } from 'kysely'
import { seenBelow } from '../lists/file-lists.ts'
import { comparePaths } from '../lists/kept-folders.ts'
import { isIn, type OwnVault } from '../lookups/authorized-vault.ts'
import { toFolderObject, toObject } from './object-view.ts'
import { type Beginning, entryOf, type Found, type Walked, walkKeys, walkPrefixes } from './walk-keys.ts'

export interface ListKeys {
  prefix: string
  /** Empty: none. */
  delimiter: string
  /** An entry; the list begins behind it. */
  after: string
  limit: number
}

type Entry = { object: ObjectView } | { prefix: string }

interface KeyPage {
  entries: Entry[]
  /** `after` of the next page. */
  next: string | null
}

const nameOf = (entry: Entry) => ('object' in entry ? entry.object.key : entry.prefix)

/** Keys and common prefixes in byte order. Each page costs the same, wherever it begins. */
export async function listKeys(
  db: Kysely<FilesDb>,
  { vault, prefixes }: { vault: OwnVault; prefixes: readonly string[] | null },
  asked: ListKeys,
): Promise<KeyPage> {
  const wanted = withoutNull(asked)
  if (wanted === null) return { entries: [], next: null }
  const below = seenBelow({ prefixes }, { prefix: wanted.prefix }) ?? ['']
  const from = beginningOf(wanted)
  const { found, end } = await walkAll(db, { vault, prefixes, below, from }, wanted)
  const known = new Set(found.map(entryOf))
  const kept = (await keptEntries(db, { vault, below, from }, wanted)).filter((entry) => !known.has(nameOf(entry)))
  const all = [...found.map(toEntry), ...kept]
    .filter((entry) => end === null || comparePaths(nameOf(entry), end) <= 0)
    .toSorted((a, b) => comparePaths(nameOf(a), nameOf(b)))
  const entries = all.slice(0, wanted.limit)
  const last = entries.at(-1)
  return { entries, next: all.length > wanted.limit && last !== undefined ? nameOf(last) : end }
}

const toEntry = (found: Found): Entry => ('prefix' in found ? found : { object: toObject(found) })

/** No key has a null character. Null: nothing is listed. */
function withoutNull({ prefix, delimiter, after, limit }: ListKeys): ListKeys | null {
  if (prefix.includes('\0')) return null
  const [behind = ''] = after.split('\0', 1)
  return { prefix, delimiter: delimiter.includes('\0') ? '' : delimiter, after: behind, limit }
}

function beginningOf({ prefix, delimiter, after }: ListKeys): Beginning {
  if (after === '' || comparePaths(after, prefix) < 0) return { key: prefix, isIncluded: true }
  const isPrefix = delimiter !== '' && commonPrefix({ prefix, delimiter }, after) === after
  const behind = isPrefix ? endOf(after) : null
  return behind === null ? { key: after, isIncluded: false } : { key: behind, isIncluded: true }
}

/** The part of a key up to the first delimiter behind the prefix. Null: the key has none there. */
function commonPrefix({ prefix, delimiter }: Pick<ListKeys, 'prefix' | 'delimiter'>, key: string): string | null {
  if (!key.startsWith(prefix)) return null
  const at = key.indexOf(delimiter, prefix.length)
  return at === -1 ? null : key.slice(0, at + delimiter.length)
}

interface Within {
  vault: OwnVault
  /** Ranges of keys, without overlaps. */
  below: readonly string[]
  from: Beginning
}

/** Walks the ranges that the caller may see one after the other. */
async function walkAll(
  db: Kysely<FilesDb>,
  { vault, prefixes, below, from }: Within & { prefixes: readonly string[] | null },
  { prefix, delimiter, limit }: ListKeys,
): Promise<Walked> {
  const isSeen = prefixes === null ? sql`true` : sql`path ^@ any(${prefixes}::text[])`
  const found: Found[] = []
  for (const start of below.toSorted(comparePaths)) {
    const end = endOf(start)
    if (end !== null && comparePaths(end, from.key) <= 0) continue
    const isBehind = comparePaths(start, from.key) > 0
    // Another range may have the same common prefix.
    const last = found.at(-1)
    const shared = last && 'prefix' in last && start.startsWith(last.prefix)
    if (shared) continue
    const range = { vault, isSeen, from: isBehind ? { key: start, isIncluded: true } : from, end }
    const left = limit - found.length
    const walked = await (delimiter === ''
      ? walkKeys(db, range, left)
      : walkPrefixes(db, range, { prefix, delimiter, limit: left }))
    found.push(...walked.found)
    if (walked.end !== null) return { found, end: walked.end }
  }
  return { found, end: null }
}

/** Kept folders are few. */
async function keptEntries(
  db: Kysely<FilesDb>,
  { vault, below, from: { key, isIncluded } }: Within,
  asked: ListKeys,
): Promise<Entry[]> {
  const { rows } = await sql<{ path: string; createdAt: Date }>`
    select path, created_at from kept_folder
    where ${isIn(vault)} and path ^@ any(${below}::text[]) and (path > ${key} or path = ${key} and ${isIncluded})`.execute(
    db,
  )
  const prefixes = new Set<string>()
  const objects: Entry[] = []
  for (const row of rows) {
    const common = asked.delimiter === '' ? null : commonPrefix(asked, row.path)
    if (common === null) objects.push({ object: toFolderObject(row) })
    else prefixes.add(common)
  }
  return [...objects, ...[...prefixes].map((prefix) => ({ prefix }))]
}
