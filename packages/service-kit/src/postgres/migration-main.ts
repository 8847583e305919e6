import { z } from 'zod'
import { ConfigError, loadConfig } from '../config/config.ts'
import { seconds, secret, url } from '../config/setting.ts'
import { untilAvailable, waitSettings } from '../process/until-available.ts'
import { createLogger } from '../telemetry/logger.ts'
import { isUnavailable } from './database-errors.ts'
import { migrate } from './migrate.ts'
import { ForeignSchemaError } from './migration-history.ts'

export const migrationSettings = {
  ...waitSettings,
  MIGRATION_DATABASE_URL: secret(url(['postgres', 'postgresql'])).describe(
    'Direct connection to Postgres, not a pooler, with a role that may create tables in the schema; for the migration job only',
  ),
  MIGRATION_LOCK_SECONDS: seconds({ min: 1 })
    .default(600)
    .describe(
      'How long the migration job retries to lock a table that other sessions have locked; one attempt takes half a second',
    ),
}

/** Implements the `migrate.ts` of a service: reads the settings, migrates, and sets the exit code. */
export async function migrationMain(schema: string, folder: URL, env: NodeJS.ProcessEnv): Promise<void> {
  const log = createLogger({ service: `migrate-${schema}`, level: 'info' })
  try {
    const { migrationDatabaseUrl, migrationLockSeconds, waitSeconds } = loadConfig(z.object(migrationSettings), env)
    const options = { url: migrationDatabaseUrl, schema, folder, lockWaitMs: migrationLockSeconds * 1000, log }
    const wait = { seconds: waitSeconds, what: 'Postgres', isOutage: isUnavailable, log }
    const names = await untilAvailable(() => migrate(options), wait)
    log.info({ schema, migrations: names }, 'schema is up to date')
  } catch (error) {
    process.exitCode = 1
    if (error instanceof ConfigError || error instanceof ForeignSchemaError) process.stderr.write(`${error.message}\n`)
    else log.fatal({ err: error, schema }, 'migration failed')
  }
}
