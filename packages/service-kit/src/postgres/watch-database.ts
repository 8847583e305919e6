import { type Kysely, sql } from 'kysely'
import type { Health } from '../process/health.ts'
import type { Log } from '../telemetry/logger.ts'
import { databaseAnswers } from './database.ts'
import { type Migration, readMigrations } from './migration-file.ts'
import { countDone, ForeignSchemaError } from './migration-history.ts'

interface WatchedDatabase<DB> {
  db: Kysely<DB>
  schema: string
  migrations: URL
  health: Health
  log: Log
}

/** Not ready until the schema is up to date. The body of `/ready` shows whether Postgres responds. */
export function watchDatabase<DB>({ db, schema, migrations, health, log }: WatchedDatabase<DB>): void {
  let told = ''
  const warnOnce = (problem: string, more: object) => {
    if (problem !== told) log.warn({ schema, ...more }, problem)
    told = problem
  }
  health.readyWhen('schema', async () => {
    try {
      const session = await readSession(db)
      if (session.schema !== schema)
        warnOnce('the role of DATABASE_URL does not see its schema: set its search_path', {})
      else if (session.statementTimeout === '0') warnOnce('the role of DATABASE_URL has no statement_timeout', {})
      return session.schema === schema
    } catch (error) {
      warnOnce('the database cannot be used', { err: error })
      return false
    }
  })
  health.readyWhen('migrated', async () => {
    try {
      return await isMigrated(db, schema, migrations)
    } catch (error) {
      if (error instanceof ForeignSchemaError) warnOnce(error.message, {})
      throw error
    }
  })
  health.dependency('postgres', () => databaseAnswers(db))
}

async function readSession<DB>(db: Kysely<DB>) {
  const { rows } = await sql<{ schema: string | null; statementTimeout: string }>`
    select current_schema() as schema, current_setting('statement_timeout') as statement_timeout`.execute(db)
  return rows[0] ?? { schema: null, statementTimeout: '' }
}

/** Throws ForeignSchemaError if other migrations ran in the schema. */
// biome-ignore lint/suspicious/noExplicitAny: every database has the table of its migrations
export async function isMigrated(db: Kysely<any>, schema: string, folder: URL): Promise<boolean> {
  const steps = await readMigrations(folder)
  const query = (text: string) => sql<Pick<Migration, 'name' | 'checksum'>>`${sql.raw(text)}`.execute(db)
  return (await countDone({ name: schema, query }, steps)) >= steps.length
}
