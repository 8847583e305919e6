import { openColdTier } from '@tideport/file-lifecycle/cold-tier'
import { openHotTier } from '@tideport/file-lifecycle/hot-tier'
import { migrations, schema } from '@tideport/file-lifecycle/migrations'
import { startRelay } from '@tideport/file-lifecycle/start-relay'
import type { FilesDb } from '@tideport/file-lifecycle/tables'
import { openDatabase } from '@tideport/service-kit/database'
import { isMigrated } from '@tideport/service-kit/migrate'
import { connectNats } from '@tideport/service-kit/nats'
import { createPrincipalVerifier } from '@tideport/service-kit/principal-token'
import { run } from '@tideport/service-kit/run'
import { sql } from 'kysely'
import { createApp } from './app.ts'
import { settings } from './config.ts'

await run('files', settings, process.env, async ({ config, log, metrics, health, stack, signal }) => {
  const network = openColdTier(config)
  const db = stack.use(openDatabase<FilesDb>({ ...config, schema, name: 'files', log }))
  const hotTier = stack.use(openHotTier(config))
  const nats = stack.use(connectNats({ ...config, name: 'files', log }))
  const relay = stack.use(startRelay({ db, nats, log, metrics, signal }))

  health.readyWhen('migrated', () => isMigrated(db, migrations))
  health.dependency('postgres', async () => (await sql`select 1`.execute(db)).rows.length === 1)
  health.dependency('nats', () => nats.connection() !== null)
  health.dependency('s3', () => hotTier.health().then(() => true))
  health.dependency('storage-network', () => network.health(signal).then(() => true))

  const verifyPrincipal = createPrincipalVerifier({ publicKeys: config.identityTokenPublicKeys, audience: 'files' })
  const app = stack.use(createApp({ config, db, hotTier, network, nats, relay, verifyPrincipal, log, metrics, signal }))
  const address = await app.listen({ host: config.host, port: config.port })
  log.info({ address }, 'listening')
})
