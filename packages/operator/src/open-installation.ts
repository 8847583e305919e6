import { openNetworks } from '@tideport/file-lifecycle/copies/networks'
import { confirmSettings, hotTierSettings, storageNetworkSettings } from '@tideport/file-lifecycle/process/settings'
import { type FilesDb, schema } from '@tideport/file-lifecycle/state/tables'
import { openHotTier } from '@tideport/hot-tier/hot-tier'
import { loadConfig } from '@tideport/service-kit/config/config'
import { databaseSettings, processSettings } from '@tideport/service-kit/config/process-settings'
import { openDatabase } from '@tideport/service-kit/postgres/database'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import { z } from 'zod'
import type { CommandContext } from './command.ts'
import { withOwnersUrl } from './run-program.ts'

/** Use the values of the files services. */
export const installationSettings = z.object({
  SERVICE_ENV: processSettings.SERVICE_ENV,
  ...databaseSettings,
  ...hotTierSettings,
  ...storageNetworkSettings,
  SETTLE_SECONDS: confirmSettings.SETTLE_SECONDS,
})

/** Makes no request. */
export async function openInstallation({ env, log }: Pick<CommandContext, 'env' | 'log'>) {
  const config = loadConfig(installationSettings, withOwnersUrl(env, 'files', 'DATABASE_URL'))
  const stack = new AsyncDisposableStack()
  const db = stack.use(openDatabase<FilesDb>({ ...config, schema, name: 'operator', log }))
  const hotTier = stack.use(openHotTier(config))
  const networks = await openNetworks(config, db, createMetrics('operator'))
  return { config, db, hotTier, networks, log, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

export type Installation = Awaited<ReturnType<typeof openInstallation>>
