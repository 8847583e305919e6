import { type Kysely, sql } from 'kysely'
import { type Migration, readMigrations } from './migration-file.ts'
import { countDone } from './migration-history.ts'

/** Throws ForeignSchemaError when other migrations were run in the schema. */
// biome-ignore lint/suspicious/noExplicitAny: any database has the table of its migrations
export async function isMigrated(db: Kysely<any>, schema: string, folder: URL): Promise<boolean> {
  const steps = await readMigrations(folder)
  const query = (text: string) => sql<Pick<Migration, 'name' | 'checksum'>>`${sql.raw(text)}`.execute(db)
  return (await countDone({ name: schema, query }, steps)) >= steps.length
}
