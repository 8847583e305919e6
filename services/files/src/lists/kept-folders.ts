import { folderPath } from '@tideport/contracts/public/paths'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { inOurWords, invalidInput, toInputIssues } from '@tideport/service-kit/http/invalid-input'
import { type Kysely, type RawBuilder, sql } from 'kysely'
import { isIn, type SeenVault } from '../lookups/authorized-vault.ts'

/** The stored form of a folder, with a slash at its end. Throws 400 for an invalid path. */
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
  // Excludes a folder that equals the prefix, because nothing follows the prefix.
  const right = rows.filter(({ path }) => path !== prefix).map(({ path }) => path.slice(0, path.indexOf('/', prefix.length) + 1)) // biome-ignore format: one chain
  return [...new Set(right)]
}

/** The first path after all paths in a folder: `0` follows `/` in byte order. */
export function behind(folder: string): string {
  return `${folder.slice(0, -1)}0`
}

/** Compares in byte order, like Postgres. */
export function comparePaths(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b))
}
