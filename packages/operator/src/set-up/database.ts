import { loadConfig } from '@tideport/service-kit/config/config'
import { secret, url } from '@tideport/service-kit/config/setting'
import { isUnavailable } from '@tideport/service-kit/postgres/database-errors'
import { untilAvailable, waitSettings } from '@tideport/service-kit/process/until-available'
import { prepareDatabase } from '@tideport/set-up/prepare-database'
import { z } from 'zod'
import type { CommandContext } from '../command.ts'

const databaseUrl = () => secret(url(['postgres', 'postgresql']))

export const databaseStepSettings = z.object({
  ...waitSettings,
  ADMIN_DATABASE_URL: databaseUrl().describe('Postgres, with a role that may make roles, or the owner of the database'),
  AUTH_DATABASE_URL: databaseUrl().describe('DATABASE_URL of auth; its role and password are made'),
  FILES_DATABASE_URL: databaseUrl().describe('DATABASE_URL of files, sync and eviction'),
  WEBHOOKS_DATABASE_URL: databaseUrl().describe('DATABASE_URL of webhooks'),
})

/** Creates the database, and a role and a schema for each owner. */
export async function setUpDatabase({ env, log, signal }: CommandContext): Promise<void> {
  const config = loadConfig(databaseStepSettings, env)
  const urls = {
    auth: config.authDatabaseUrl,
    files: config.filesDatabaseUrl,
    webhooks: config.webhooksDatabaseUrl,
  }
  const wait = { seconds: config.waitSeconds, what: 'Postgres', isOutage: isUnavailable, log, signal }
  await untilAvailable(() => prepareDatabase(config.adminDatabaseUrl, urls), wait)
}
