import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anyEvent } from '@tideport/contracts/internal/messages'
import { consumers, streams } from '@tideport/contracts/internal/streams'
import { launchNats } from '@tideport/dev-stack/servers/launch-nats'
import { type Relay, startRelay } from '@tideport/file-lifecycle/outbox/start-relay'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { consumeBatches } from '@tideport/service-kit/nats/consume-batches'
import { connectNats } from '@tideport/service-kit/nats/nats'
import { openDatabase } from '@tideport/service-kit/postgres/database'
import { migrate } from '@tideport/service-kit/postgres/migrate'
import { createLogger } from '@tideport/service-kit/telemetry/logger'
import { createMetrics } from '@tideport/service-kit/telemetry/metrics'
import { fanOut } from '@tideport/webhooks/src/delivery/fan-out.ts'
import type { WebhooksDb } from '@tideport/webhooks/src/tables.ts'
import { startDatabase } from '../start-database.ts'

const webhookMigrations = new URL('../../../services/webhooks/migrations/', import.meta.url)

/**
 * Postgres with both schemas, a broker, and the parts between a commit and a delivery row, each on a pool of its own.
 */
export async function startNews() {
  await using starting = new AsyncDisposableStack()
  const database = starting.use(await startDatabase())
  await migrate({ url: database.webhooksUrl, schema: 'webhooks', folder: webhookMigrations })
  const storeDir = await mkdtemp(join(tmpdir(), 'tideport-bench-nats-'))
  starting.defer(() => rm(storeDir, { recursive: true, force: true }))
  const server = starting.use(await launchNats({ storeDir }))
  const log = createLogger({ service: 'bench', level: 'silent' })
  const stop = new AbortController()
  const { signal } = stop
  const running = starting.use(new AsyncDisposableStack())
  const relays = starting.use(new AsyncDisposableStack())
  const link = () => running.use(connectNats({ natsUrl: [server.url], name: 'bench', log }))
  const pool = { databasePoolSize: 10, name: 'bench', log }
  const webhooksPool = { ...pool, databaseUrl: database.webhooksUrl, schema: 'webhooks' }
  const webhooks = starting.use(openDatabase<WebhooksDb>(webhooksPool))
  starting.defer(() => stop.abort())
  const nats = link()
  await nats.provision(signal)
  const started = starting.move()
  return {
    database,
    webhooks,
    nats,
    /** As one process of files, sync or eviction has it. */
    startRelay(pollSeconds: number): Relay {
      const db = running.use(openDatabase<FilesDb>({ ...pool, databaseUrl: database.url, schema: 'files' }))
      const options = { pollSeconds, eventLifeSeconds: streams.events.maxAgeSeconds }
      return relays.use(startRelay({ db, nats: link(), log, metrics: createMetrics('bench'), signal, ...options }))
    },
    startFanOut() {
      const handle = fanOut({ db: webhooks, onDeliveries: () => undefined })
      const how = { batchMax: 200, concurrency: 2, handle, log, metrics: createMetrics('bench'), signal }
      relays.use(consumeBatches({ link: link(), consumer: consumers.fanOut, message: anyEvent, ...how }))
    },
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  }
}

export type BenchNews = Awaited<ReturnType<typeof startNews>>
