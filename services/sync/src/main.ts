import { syncJob } from '@tideport/contracts/messages'
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
import { isMigrated } from '@tideport/service-kit/migrate'
import { connectNats } from '@tideport/service-kit/nats'
import { run } from '@tideport/service-kit/run'
import { sql } from 'kysely'
import { settings } from './config.ts'
import { rehydrateFile } from './rehydrate-file.ts'
import { syncFile } from './sync-file.ts'

await run('sync', settings, process.env, async ({ config, log, metrics, health, stack, signal }) => {
  const db = stack.use(openDatabase<FilesDb>({ ...config, schema, name: 'sync', log }))
  const nats = stack.use(connectNats({ ...config, name: 'sync', log }))
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
  const parts = { ...config, db, hotTier, network }
  stack.use(
    consume({
      link: nats,
      consumer: consumers.sync,
      message: syncJob,
      handle: handleJob({ db, circuit, relay, log, metrics }, syncFile(parts), rehydrateFile(parts)),
      shouldPull: circuit.isClosed,
      concurrency: config.syncConcurrency,
      onError: 'ack',
      log,
      metrics,
      signal,
    }),
  )
  const dispatch = { db, nats, log, metrics, signal, intervalSeconds: config.dispatchIntervalSeconds }
  stack.use(startDispatch(dispatch, 'sync'))
  stack.use(startDispatch(dispatch, 'rehydrate'))
})
