import { evictJob } from '@tideport/contracts/messages'
import { consumers } from '@tideport/contracts/streams'
import { openColdTier } from '@tideport/file-lifecycle/cold-tier'
import { handleJob } from '@tideport/file-lifecycle/handle-job'
import { openHotTier } from '@tideport/file-lifecycle/hot-tier'
import { migrations, schema } from '@tideport/file-lifecycle/migrations'
import { startDispatch } from '@tideport/file-lifecycle/start-dispatch'
import { startRelay } from '@tideport/file-lifecycle/start-relay'
import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { createCircuit } from '@tideport/service-kit/circuit'
import { consume } from '@tideport/service-kit/consume'
import { openDatabase } from '@tideport/service-kit/database'
import { every } from '@tideport/service-kit/every'
import { isMigrated } from '@tideport/service-kit/migrate'
import { connectNats } from '@tideport/service-kit/nats'
import { run } from '@tideport/service-kit/run'
import { sql } from 'kysely'
import { settings } from './config.ts'
import { emptyTrash } from './empty-trash.ts'
import { evictFile } from './evict-file.ts'
import { createEvictionRate } from './eviction-rate.ts'
import { expireUploads } from './expire-uploads.ts'
import { finishConfirms } from './finish-confirms.ts'
import { forgetOld } from './forget-old.ts'
import { purgeFiles } from './purge-files.ts'
import { renewLeases } from './renew-leases.ts'
import { settleUploads } from './settle-uploads.ts'

await run('eviction', settings, process.env, async ({ config, log, metrics, health, stack, signal }) => {
  const db = stack.use(openDatabase<FilesDb>({ ...config, schema, name: 'eviction', log }))
  const nats = stack.use(connectNats({ ...config, name: 'eviction', log }))
  const hotTier = stack.use(openHotTier(config))
  const network = openColdTier(config)
  const postgresAnswers = () => sql`select 1`.execute(db)
  health.readyWhen('migrated', () => isMigrated(db, migrations))
  health.dependency('postgres', () => postgresAnswers().then(() => true))
  health.dependency('nats', () => nats.connection() !== null)
  health.dependency('hot_tier', () => hotTier.health().then(() => true))
  health.dependency('storage_network', () => network.health(signal).then(() => true))

  const relay = stack.use(startRelay({ db, nats, log, metrics, signal }))
  const probe = (probing: AbortSignal) => Promise.all([postgresAnswers(), hotTier.health(), network.health(probing)])
  const circuit = stack.use(createCircuit({ probe, log, metrics, signal }))
  const rate = createEvictionRate(config.evictionsPerMinuteMax)
  const step = evictFile({ ...config, db, hotTier, network, rate, log })
  stack.use(
    consume({
      link: nats,
      consumer: consumers.evict,
      message: evictJob,
      handle: handleJob({ db, circuit, relay, log, metrics }, step),
      shouldPull: () => circuit.isClosed() && rate.hasRoom(),
      concurrency: config.evictionConcurrency,
      onError: 'ack',
      log,
      metrics,
      signal,
    }),
  )
  const intervalSeconds = config.dispatchIntervalSeconds
  stack.use(startDispatch({ db, nats, log, metrics, signal, intervalSeconds }, 'evict'))
  const clock = (name: string, task: (stopping: AbortSignal) => Promise<unknown>) =>
    stack.use(every(intervalSeconds * 1000, name, task, { signal, log }))
  const lifecycle = { ...config, db, hotTier, network, nats, relay, log }
  clock('finish confirms', (stopping) => finishConfirms(lifecycle, stopping))
  clock('expire uploads', (stopping) => expireUploads(lifecycle, stopping))
  clock('empty the trash', (stopping) => emptyTrash(lifecycle, stopping))
  clock('purge files', (stopping) => purgeFiles(lifecycle, stopping))
  clock('settle uploads', (stopping) => settleUploads(lifecycle, stopping))
  clock('renew leases', (stopping) => renewLeases(lifecycle, stopping))
  clock('forget what is old', () => forgetOld(lifecycle))
})
