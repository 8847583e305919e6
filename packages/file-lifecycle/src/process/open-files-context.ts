import { streams } from '@tideport/contracts/internal/streams'
import { type HotTier, openHotTier } from '@tideport/hot-tier/hot-tier'
import type { HotTierConfig } from '@tideport/hot-tier/store-calls'
import { type Batching, createBatching } from '@tideport/service-kit/batching/batching'
import { connectNats, type NatsLink, type NatsOptions } from '@tideport/service-kit/nats/nats'
import { type DatabaseOptions, openDatabase } from '@tideport/service-kit/postgres/database'
import { watchDatabase } from '@tideport/service-kit/postgres/watch-database'
import type { RunContext } from '@tideport/service-kit/process/run'
import type { Kysely } from 'kysely'
import { type Networks, type NetworksConfig, openNetworks } from '../copies/networks.ts'
import { observeNetworks } from '../copies/observe-networks.ts'
import { tellSingleCopy } from '../copies/tell-single-copy.ts'
import { type Relay, startRelay } from '../outbox/start-relay.ts'
import { migrations, schema } from '../state/migrations.ts'
import type { FilesDb } from '../state/tables.ts'
import { observeTransitions } from '../state/transition-metrics.ts'
import { batched, type Writes } from '../state/writes.ts'
import { type JobQueue, openJobQueue } from '../work/job-queue.ts'
import { networkQueues } from '../work/network-queues.ts'

export type FilesContextConfig = Pick<DatabaseOptions, 'databaseUrl' | 'databasePoolSize' | 'databasePooler'> &
  Omit<NatsOptions, 'name' | 'log' | 'metrics' | 'consumers'> &
  HotTierConfig &
  NetworksConfig & { relayPollSeconds: number }

/** What every process of the files context stands on. */
export interface FilesContext {
  db: Kysely<FilesDb>
  batching: Batching
  /** Batched. */
  writes: Writes
  nats: NatsLink
  hotTier: HotTier
  networks: Networks
  relay: Relay
  jobs: JobQueue
}

/**
 * Opens the database, the broker and both tiers, starts a relay, and tells `/ready` of all of it. None of it has to be
 * up; what was opened ends with the process. Throws `ConfigError` when the network may not be used as configured.
 */
export async function openFilesContext(
  name: string,
  { config, log, metrics, health, stack, signal }: RunContext<FilesContextConfig>,
): Promise<FilesContext> {
  const db = stack.use(openDatabase<FilesDb>({ ...config, schema, name, log, metrics }))
  observeTransitions(db, metrics)
  const batching = createBatching()
  const networks = await openNetworks(config, db, metrics)
  tellSingleCopy(networks, { health, log, serviceEnv: config.serviceEnv })
  const hotTier = stack.use(openHotTier(config, metrics))
  const queues = networkQueues(networks.order)
  const nats = stack.use(connectNats({ ...config, name, log, metrics, consumers: queues }))
  const eventLifeSeconds = config.eventsMaxAgeSeconds ?? streams.events.maxAgeSeconds
  const pollSeconds = config.relayPollSeconds
  const relay = stack.use(startRelay({ db, nats, log, metrics, signal, pollSeconds, eventLifeSeconds }))

  watchDatabase({ db, schema, migrations, health, log })
  health.dependency('nats', () => nats.connection() !== null)
  health.dependency('hot_tier', () => hotTier.health().then(() => true))
  for (const { name: network, check } of observeNetworks(networks.all(), { metrics, signal })) {
    health.dependency(`storage_network_${network}`, check)
  }
  return {
    db,
    batching,
    writes: batched(db, batching),
    nats,
    hotTier,
    networks,
    relay,
    jobs: openJobQueue({ nats, log, metrics }),
  }
}
