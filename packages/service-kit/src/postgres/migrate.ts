import type pg from 'pg'
import type { Log } from '../telemetry/logger.ts'
import { observeBlockers } from './lock-blockers.ts'
import { type Migration, readMigrations } from './migration-file.ts'
import { countDone } from './migration-history.ts'
import { openMigrationSession } from './migration-session.ts'
import { runStep } from './migration-steps.ts'

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
 * next. What a later version ran is left alone. Returns the names of what was run now. Rejects with a ForeignSchemaError,
 * having changed nothing, when what was run before are other steps than these; else with the first failure: the files
 * before it stay done, and of a file that is one transaction nothing was changed.
 */
export async function migrate({ url, schema, folder, lockWaitMs, log }: MigrateOptions): Promise<string[]> {
  await using session = await openMigrationSession({ url, schema, log })
  const { client, pid } = session
  await using observer = observeBlockers({ url, pid, log })
  const todo = await findTodo(client, schema, folder)
  for (const migration of todo) {
    log?.info({ step: migration.name, kind: migration.kind }, 'migration step begins')
    await runStep[migration.kind]({ client, observer, waitMs: lockWaitMs ?? WAIT_MS, log }, migration)
  }
  return todo.map(({ name }) => name)
}

async function findTodo(client: pg.Client, schema: string, folder: URL): Promise<Migration[]> {
  const steps = await readMigrations(folder)
  const done = await countDone({ name: schema, query: (text) => client.query(text) }, steps)
  await client.query(`
    create table if not exists schema_migration (name text primary key, checksum text not null, timestamp text not null);
    create table if not exists schema_migration_batch (name text primary key, last text)`)
  return steps.slice(done)
}
