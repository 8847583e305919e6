import { type Kysely, sql } from 'kysely'
import type pg from 'pg'
import type { Log } from '../telemetry/logger.ts'
import { observeBlockers } from './lock-blockers.ts'
import { migrationNames, readMigration } from './migration-file.ts'
import { openMigrationSession } from './migration-session.ts'
import { runStep } from './migration-steps.ts'

const UNDEFINED_TABLE = '42P01'
const WAIT_MS = 600_000

export interface MigrateOptions {
  /** Postgres itself, not a pooler, with a role that may create tables in the schema. */
  url: string
  schema: string
  /** Folder of `.sql` files (CONTRIBUTING.md), run in the order of their names; each once. */
  folder: URL
  /** For how long a step that gets no lock is repeated. */
  lockWaitMs?: number
  log?: Log
}

/**
 * Brings a schema up to date, file by file. Several jobs at once do no harm; one that was killed is gone on with by the
 * next. What a later version ran is left alone. Returns the names of what was run now. Rejects with the first failure:
 * the files before it stay done, and of a file that is one transaction nothing was changed.
 */
export async function migrate({ url, schema, folder, lockWaitMs, log }: MigrateOptions): Promise<string[]> {
  await using session = await openMigrationSession({ url, schema, log })
  const { client, pid } = session
  await using observer = observeBlockers({ url, pid, log })
  const todo = await findTodo(client, folder)
  for (const name of todo) {
    const migration = await readMigration(folder, name)
    log?.info({ step: name, kind: migration.kind }, 'migration step begins')
    await runStep[migration.kind]({ client, observer, waitMs: lockWaitMs ?? WAIT_MS, log }, migration)
  }
  return todo
}

async function findTodo(client: pg.Client, folder: URL): Promise<string[]> {
  await client.query(`
    create table if not exists schema_migration (name text primary key, timestamp text not null);
    create table if not exists schema_migration_batch (name text primary key, last text)`)
  const { rows } = await client.query<{ name: string }>('select name from schema_migration')
  const done = new Set(rows.map(({ name }) => name))
  return (await migrationNames(folder)).filter((name) => !done.has(name))
}

/** Whether every migration of the folder was run in the schema that `db` sees. */
// biome-ignore lint/suspicious/noExplicitAny: any database has the table of its migrations
export async function isMigrated(db: Kysely<any>, folder: URL): Promise<boolean> {
  const wanted = await migrationNames(folder)
  try {
    const { rows } = await sql<{ name: string }>`select name from schema_migration`.execute(db)
    const done = new Set(rows.map(({ name }) => name))
    return wanted.every((name) => done.has(name))
  } catch (error) {
    if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return false
    throw error
  }
}
