import type pg from 'pg'
import type { Log } from '../telemetry/logger.ts'
import { observeBlockers } from './lock-blockers.ts'
import { type Migration, readMigrations } from './migration-file.ts'
import { countDone } from './migration-history.ts'
import { openMigrationSession } from './migration-session.ts'
import { runStep } from './migration-steps.ts'

const WAIT_MS = 600_000

interface MigrateOptions {
  /** Connects to Postgres directly, not through a pooler, with a role that may create tables in the schema. */
  url: string
  schema: string
  folder: URL
  /** The last step to run. Default: all. */
  last?: string
  /** How long a step that gets no lock is retried. */
  lockWaitMs?: number
  log?: Log
}

/**
 * Jobs may run concurrently and may be killed. Rejects with ForeignSchemaError, and changes nothing, if the schema has
 * other steps. After any other failure, the completed steps remain.
 */
export async function migrate({ url, schema, folder, last, lockWaitMs, log }: MigrateOptions): Promise<string[]> {
  await using session = await openMigrationSession({ url, schema, log })
  const { client, pid } = session
  await using observer = observeBlockers({ url, pid, log })
  const all = await findTodo(client, schema, folder)
  const todo = last === undefined ? all : all.filter(({ name }) => name <= last)
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
