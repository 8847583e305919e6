import { parseArgs } from 'node:util'
import { setUpNetworks } from '@tideport/file-lifecycle/copies/networks'
import { storageNetworkSettings } from '@tideport/file-lifecycle/process/settings'
import { type FilesDb, schema } from '@tideport/file-lifecycle/state/tables'
import { ConfigError, loadConfig } from '@tideport/service-kit/config/config'
import { databaseSettings } from '@tideport/service-kit/config/process-settings'
import { openDatabase } from '@tideport/service-kit/postgres/database'
import { isNotYetMigrated } from '@tideport/service-kit/postgres/database-errors'
import { endProcess } from '@tideport/service-kit/process/end-process'
import { widenThreadPool } from '@tideport/service-kit/process/thread-pool'
import { untilAvailable, waitSettings } from '@tideport/service-kit/process/until-available'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { z } from 'zod'

const settings = z.object({ ...databaseSettings, ...storageNetworkSettings, ...waitSettings })
const name = 'set-up-network'
const log = createLogger({ service: name, level: 'info' })

widenThreadPool(process.env)
/** Records the storage networks of this installation, after the migrations and before any service starts. */
try {
  const { values } = parseArgs({ options: { 'accept-lost-copies': { type: 'boolean', default: false } } })
  const config = loadConfig(settings, process.env)
  await using db = openDatabase<FilesDb>({ ...config, schema, name, log })
  const options = { acceptLostCopies: values['accept-lost-copies'] }
  const wait = { seconds: config.waitSeconds, what: 'the migrated database', isOutage: isNotYetMigrated, log }
  const outcomes = await untilAvailable(() => setUpNetworks(db, config.storageNetworks, options), wait)
  for (const outcome of outcomes) log.info(outcome, 'storage network set up')
} catch (error) {
  process.exitCode = 1
  if (error instanceof ConfigError) process.stderr.write(`${error.message}\n`)
  else log.fatal({ err: error }, 'could not set up the storage network')
}
// An unresponsive disk would keep the process running forever.
await endProcess(Number(process.exitCode ?? 0), log)
