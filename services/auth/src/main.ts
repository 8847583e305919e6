import { databaseAnswers, openDatabase } from '@tideport/service-kit/database'
import { isMigrated } from '@tideport/service-kit/migrate'
import { createPrincipalVerifier } from '@tideport/service-kit/principal-token'
import { run } from '@tideport/service-kit/run'
import { createApp } from './app.ts'
import { settings } from './config.ts'
import { createKeyUsage } from './key-usage.ts'
import { migrations, schema } from './migrations.ts'
import type { AuthDb } from './tables.ts'

await run('auth', settings, process.env, async ({ config, log, metrics, health, stack, signal }) => {
  const db = stack.use(openDatabase<AuthDb>({ ...config, schema, name: 'auth', log }))
  health.readyWhen('migrated', () => isMigrated(db, migrations))
  health.dependency('postgres', () => databaseAnswers(db))

  const keyUsage = stack.use(createKeyUsage({ db, log }))
  const verifyPrincipal = createPrincipalVerifier({ publicKeys: config.identityTokenPublicKeys, audience: 'auth' })
  const app = stack.use(createApp({ db, keyUsage, verifyPrincipal, log, metrics, signal }))
  const address = await app.listen({ host: config.host, port: config.port })
  log.info({ address }, 'listening')
})
