import { open } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { ConfigError, loadConfig } from '@tideport/service-kit/config/config'
import { databaseSettings } from '@tideport/service-kit/config/process-settings'
import { openDatabase } from '@tideport/service-kit/postgres/database'
import { isNotYetMigrated } from '@tideport/service-kit/postgres/database-errors'
import { untilAvailable, waitSettings } from '@tideport/service-kit/process/until-available'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { z } from 'zod'
import { createFirstKey } from './keys/first-key.ts'
import { schema } from './migrations.ts'
import type { AuthDb } from './tables.ts'

const settings = z.object({ ...databaseSettings, ...waitSettings })
const name = 'create-first-key'
const log = createLogger({ service: name, level: 'info', destination: process.stderr })

/** For an installation without an identity provider. Creates no key while the account has a valid one. */
try {
  const { values } = parseArgs({ options: { 'key-file': { type: 'string' } } })
  const file = values['key-file']
  const config = loadConfig(settings, process.env)
  await using db = openDatabase<AuthDb>({ ...config, schema, name, log })
  const hand = async (key: string) => {
    if (file === undefined) return void process.stdout.write(`${key}\n`)
    await using handle = await open(file, 'w', 0o600)
    await handle.chmod(0o600)
    await handle.writeFile(`${key}\n`)
  }
  const wait = { seconds: config.waitSeconds, what: 'the migrated database', isOutage: isNotYetMigrated, log }
  const outcome = await untilAvailable(() => createFirstKey(db, hand), wait)
  log.info(
    { ...outcome, ...(file && { file }) },
    outcome.isNew ? 'first API key created' : 'a valid API key exists already',
  )
} catch (error) {
  process.exitCode = 1
  if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`)
  else log.fatal({ err: error }, 'first API key not created')
}
