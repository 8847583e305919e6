import { folderPath } from '@tideport/contracts/public/paths'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { inOurWords, invalidInput, toInputIssues } from '@tideport/service-kit/http/invalid-input'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { isIn, type SeenVault } from '../lookups/authorized-vault.ts'

/** A folder as it is stored, with a slash at its end. Throws 400 for what no path may have. */
export function folderIn(given: string): string {
  const named = folderPath.safeParse(`${given.replace(/\/$/, '')}/`, { error: inOurWords })
  if (named.success) return named.data
  throw invalidInput('path', toInputIssues(named.error, 'path'))
}

export async function findKeptFolders(
  db: Kysely<FilesDb>,
  { vault, prefix, isSeen }: { vault: SeenVault; prefix: string; isSeen: RawBuilder<unknown> },
): Promise<string[]> {
  const { rows } = await sql<{ path: string }>`
    select path from kept_folder where ${isIn(vault)} and starts_with(path, ${prefix}) and ${isSeen}
    order by path`.execute(db)
  // A prefix that is such a folder itself has nothing behind it.
  const right = rows.filter(({ path }) => path !== prefix).map(({ path }) => path.slice(0, path.indexOf('/', prefix.length) + 1)) // biome-ignore format: one chain
  return [...new Set(right)]
}

/** The first path behind all that are in a folder: `0` comes next after `/`. */
export function behind(folder: string): string {
  return `${folder.slice(0, -1)}0`
}

/** In the order of bytes, as Postgres has paths. */
export function comparePaths(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
