import { readdir, readFile } from 'node:fs/promises'
import { Kysely, PostgresDialect, sql } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import pg from 'pg'

const TABLE = 'schema_migration'
const LOCK_TABLE = 'schema_migration_lock'
const UNDEFINED_TABLE = '42P01'

export interface MigrateOptions {
  /** Postgres, with a role that may create tables in the schema. */
  url: string
  schema: string
  /** Folder of `.sql` files, run in the order of their names; each once. */
  folder: URL
}

/**
 * Brings a schema up to date, in one transaction and under a lock, so several jobs at once do no harm.
 * Returns the names of what was run now. Throws the first failure, with nothing changed.
 */
export async function migrate({ url, schema, folder }: MigrateOptions): Promise<string[]> {
  const pool = new pg.Pool({ connectionString: url, max: 2, options: `-c search_path=${schema}` })
  await using db = new Kysely<unknown>({ dialect: new PostgresDialect({ pool }) })
  const migrator = new Migrator({
    db,
    provider: { getMigrations: () => readMigrations(folder) },
    migrationTableSchema: schema,
    migrationTableName: TABLE,
    migrationLockTableName: LOCK_TABLE,
  })
  const { error, results } = await migrator.migrateToLatest()
  if (error !== undefined) throw error
  return (results ?? []).map(({ migrationName }) => migrationName)
}

/** Whether every migration of the folder was run in the schema that `db` sees. */
// biome-ignore lint/suspicious/noExplicitAny: any database has the table of its migrations
export async function isMigrated(db: Kysely<any>, folder: URL): Promise<boolean> {
  const wanted = await migrationNames(folder)
  try {
    const { rows } = await sql<{ name: string }>`select name from ${sql.table(TABLE)}`.execute(db)
    const done = new Set(rows.map(({ name }) => name))
    return wanted.every((name) => done.has(name))
  } catch (error) {
    if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return false
    throw error
  }
}

async function migrationNames(folder: URL): Promise<string[]> {
  const files = await readdir(folder)
  return files.filter((file) => file.endsWith('.sql')).map((file) => file.slice(0, -'.sql'.length))
}

async function readMigrations(folder: URL): Promise<Record<string, Migration>> {
  const names = await migrationNames(folder)
  const migrations = names.map(async (name): Promise<[string, Migration]> => {
    const text = await readFile(new URL(`${name}.sql`, folder), 'utf8')
    return [name, { up: async (db) => void (await sql.raw(text).execute(db)) }]
  })
  return Object.fromEntries(await Promise.all(migrations))
}
