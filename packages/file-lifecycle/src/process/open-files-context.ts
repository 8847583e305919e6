import { streams } from '@tideport/contracts/internal/streams'
import { connectNats, type NatsLink, type NatsOptions } from '@tideport/service-kit/nats/nats'
import { type DatabaseOptions, openDatabase } from '@tideport/service-kit/postgres/database'
import { watchDatabase } from '@tideport/service-kit/postgres/watch-database'
import type { RunContext } from '@tideport/service-kit/process/run'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import type { Kysely } from 'kysely'
import { type ColdTierConfig, openColdTier } from '../copies/cold-tier.ts'
import { measureNetwork } from '../copies/measure-network.ts'
import { observeNetwork } from '../copies/observe-network.ts'
import { tracedNetwork } from '../copies/traced-network.ts'
import { type HotTier, openHotTier } from '../hot-tier/hot-tier.ts'
import type { HotTierConfig } from '../hot-tier/hot-tier-config.ts'
import { type Relay, startRelay } from '../outbox/start-relay.ts'
import { migrations, schema } from '../state/migrations.ts'
import type { FilesDb } from '../state/tables.ts'
import { observeTransitions } from '../state/transition-metrics.ts'
import { showStatistics } from '../statistics/show-statistics.ts'
import { type JobQueue, openJobQueue } from '../work/job-queue.ts'

export type FilesContextConfig = Pick<DatabaseOptions, 'databaseUrl' | 'databasePoolSize' | 'databasePooler'> &
  Omit<NatsOptions, 'name' | 'log' | 'metrics'> &
  HotTierConfig &
  ColdTierConfig & { relayPollSeconds: number }

/** What every process of the files context stands on. */
export interface FilesContext {
  db: Kysely<FilesDb>
  nats: NatsLink
  hotTier: HotTier
  network: StorageNetwork
  relay: Relay
  jobs: JobQueue
}

/**
 * Opens the database, the broker and both tiers, starts a relay, and tells `/ready` of all of it. None of it has to be
 * up; what was opened ends with the process. Throws `ConfigError` when the network may not be used as configured.
 */
export function openFilesContext(
  name: string,
  { config, log, metrics, health, stack, signal }: RunContext<FilesContextConfig>,
): FilesContext {
  const db = stack.use(openDatabase<FilesDb>({ ...config, schema, name, log, metrics }))
  observeTransitions(db, metrics)
  showStatistics(db, { metrics, log })
  const network = tracedNetwork(measureNetwork(openColdTier(config, db), metrics))
  const hotTier = stack.use(openHotTier(config, metrics))
  const nats = stack.use(connectNats({ ...config, name, log, metrics }))
  const eventLifeSeconds = config.eventsMaxAgeSeconds ?? streams.events.maxAgeSeconds
  const pollSeconds = config.relayPollSeconds
  const relay = stack.use(startRelay({ db, nats, log, metrics, signal, pollSeconds, eventLifeSeconds }))

  watchDatabase({ db, schema, migrations, health, log })
  health.dependency('nats', () => nats.connection() !== null)
  health.dependency('hot_tier', () => hotTier.health().then(() => true))
  health.dependency('storage_network', observeNetwork(network, { metrics, signal }))
  return { db, nats, hotTier, network, relay, jobs: openJobQueue({ nats, log, metrics }) }
}
