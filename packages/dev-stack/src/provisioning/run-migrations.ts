import type { DatabaseUrls } from '@tideport/set-up/prepare-database'
import { type JobOptions, runJob } from './run-job.ts'

/** Runs the migration job of every schema, each in a process of its own. Throws when one fails. */
export async function runMigrations(databaseUrls: DatabaseUrls, options: JobOptions): Promise<void> {
  const jobs = Object.entries(databaseUrls).map(([owner, url]) =>
    runJob(`migrate-${owner}`, `${owner}/src/migrate.ts`, { MIGRATION_DATABASE_URL: url }, options),
  )
  await Promise.all(jobs)
}
