import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'

export type StepKind = 'short' | 'online' | 'batches'

export interface Migration {
  name: string
  kind: StepKind
  /** Whether services of the previous version continue to work after this migration. */
  isCompatible: boolean
  sql: string
  checksum: string
}

const HEADER = /^-- (compatible|breaking)(?:, (online|batches))?\r?\n/
const CREATE_INDEX = /^create (?:unique )?index concurrently if not exists ([a-z0-9_]+) on /m

export async function migrationNames(folder: URL): Promise<string[]> {
  const files = await readdir(folder)
  return files.flatMap((file) => (file.endsWith('.sql') ? [file.slice(0, -'.sql'.length)] : [])).toSorted()
}

/** Throws if the file's first line does not declare the kind of migration. */
export async function readMigration(folder: URL, name: string): Promise<Migration> {
  return parseMigration(name, await readFile(new URL(`${name}.sql`, folder), 'utf8'))
}

/** All migrations of a folder, in the order in which they run. */
export async function readMigrations(folder: URL): Promise<Migration[]> {
  return await Promise.all((await migrationNames(folder)).map((name) => readMigration(folder, name)))
}

export function parseMigration(name: string, sql: string): Migration {
  const [header, effect, kind = 'short'] = HEADER.exec(sql) ?? []
  if (header === undefined) {
    throw new Error(
      `${name}.sql: the first line must be "-- compatible" or "-- breaking", optionally followed by ", online" or ", batches"`,
    )
  }
  const checksum = createHash('sha256').update(sql.replaceAll('\r\n', '\n')).digest('hex')
  return { name, kind: kind as StepKind, isCompatible: effect === 'compatible', sql, checksum }
}

/** The index that an online step creates, if any. */
export function createdIndex({ sql }: Pick<Migration, 'sql'>): string | undefined {
  return CREATE_INDEX.exec(sql)?.[1]
}
