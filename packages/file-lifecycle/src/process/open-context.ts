import { randomUUID } from 'node:crypto'
import { networkConsumers, streams } from '@tideport/contracts/internal/streams'
import { type HotTier, openHotTier } from '@tideport/hot-tier/hot-tier'
import type { HotTierConfig } from '@tideport/hot-tier/store-calls'
import { type Batching, createBatching } from '@tideport/service-kit/batching/batching'
import { connectNats, type NatsLink, type NatsOptions } from '@tideport/service-kit/nats/nats'
import { type DatabaseOptions, databaseAnswers, openDatabase } from '@tideport/service-kit/postgres/database'
import { watchDatabase } from '@tideport/service-kit/postgres/watch-database'
import { type Circuit, createCircuits } from '@tideport/service-kit/process/circuit'
import { every, type PeriodicTask } from '@tideport/service-kit/process/every'
import type { RunContext } from '@tideport/service-kit/process/service'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Metrics } from '@tideport/service-kit/telemetry/metrics'
import type { StorageNetwork } from '@tideport/storage-network/storage-network'
import { type Kysely, sql } from 'kysely'
import { type Networks, type NetworksConfig, openNetworks } from '../copies/networks.ts'
import { observeNetworks, tellSingleCopy } from '../copies/observe-networks.ts'
import { type Relay, startRelay } from '../outbox/start-relay.ts'
import { observeTransitions } from '../state/state.ts'
import { type FilesDb, migrations, schema } from '../state/tables.ts'
import { batched, type Writes } from '../state/writes.ts'
import { type JobQueue, openJobQueue } from '../work/job-queue.ts'

export type FilesContextConfig = Pick<DatabaseOptions, 'databaseUrl' | 'databasePoolSize' | 'databasePooler'> &
  Omit<NatsOptions, 'name' | 'log' | 'metrics' | 'consumers'> &
  HotTierConfig &
  NetworksConfig & { relayPollSeconds: number }

export interface FilesContext {
  db: Kysely<FilesDb>
  batching: Batching
  writes: Writes
  nats: NatsLink
  hotTier: HotTier
  networks: Networks
  relay: Relay
  jobs: JobQueue
}

/**
 * Opens all parts and adds them to `/ready`; none has to be available. Throws `ConfigError` when a network may not be
 * used as configured.
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
  const queues = networks.order.flatMap((network) => Object.values(networkConsumers(network)))
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

export interface Worker extends FilesContext {
  /** Opens while Postgres or the hot tier is unavailable, so an outage never counts as a failed attempt. */
  circuit: Circuit
  /** One for each network, so an outage stops no other network. */
  circuitOf(network: StorageNetwork): Circuit
  log: Log
  metrics: Metrics
  signal: AbortSignal
}

/** `toStore`: the networks need free space. */
export async function openWorker(
  name: string,
  run: RunContext<FilesContextConfig>,
  needs: { toStore: boolean },
): Promise<Worker> {
  const { log, metrics, stack, signal } = run
  const context = await openFilesContext(name, run)
  const { db, hotTier, networks } = context
  const open = createCircuits({ log, metrics, signal })
  const base = () => [databaseAnswers(db), hotTier.health('thoroughly')]
  const circuit = stack.use(open('hot_tier', () => Promise.all(base())))
  const ofNetworks = new Map(
    networks.all().map((network) => {
      const probe = (probing: AbortSignal) => Promise.all([...base(), network.health(probing, needs)])
      return [network.name, stack.use(open(network.name, probe))]
    }),
  )
  stack.use(tellCircuits(new Map([['hot_tier', circuit], ...ofNetworks]), { db, service: name, log, signal }))
  const circuitOf = (network: StorageNetwork) => ofNetworks.get(network.name) ?? circuit
  return { ...context, circuit, circuitOf, log, metrics, signal }
}

const EVERY_MS = 5000
/** When a row without updates is ignored. */
const OVER_SECONDS = 30

export interface OpenCircuit {
  process: string
  service: string
  needs: string
  openedAt: Date
}

interface TellDeps {
  db: Kysely<FilesDb>
  service: string
  log: Log
  signal: AbortSignal
}

/** Writes the open circuits of this process to rows for operators. Writes nothing while all are closed. */
export function tellCircuits(
  circuits: ReadonlyMap<string, Pick<Circuit, 'isClosed'>>,
  { db, service, log, signal }: TellDeps,
): PeriodicTask {
  const process = randomUUID()
  let hasTold = false
  async function tell(): Promise<void> {
    const open = [...circuits].flatMap(([needs, circuit]) => (circuit.isClosed() ? [] : [needs]))
    if (open.length === 0 && !hasTold) return
    await sql`
      with closed as (
        delete from open_circuit where (process = ${process} and needs <> all(${open}::text[]))
          or told_at < now() - make_interval(secs => ${OVER_SECONDS})
      )
      insert into open_circuit (process, service, needs)
      select ${process}, ${service}, needs from unnest(${open}::text[]) as needs
      on conflict (process, needs) do update set told_at = now()`.execute(db)
    hasTold = open.length > 0
  }
  return every(EVERY_MS, 'record open circuits', tell, { signal, log })
}

/** At most 1,000, oldest first. */
export async function readOpenCircuits(db: Kysely<FilesDb>): Promise<OpenCircuit[]> {
  const { rows } = await sql<OpenCircuit>`
    select process, service, needs, opened_at from open_circuit
    where told_at >= now() - make_interval(secs => ${OVER_SECONDS})
    order by opened_at, process, needs limit 1000`.execute(db)
  return rows
}
