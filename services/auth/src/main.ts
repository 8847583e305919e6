import { openDatabase } from '@tideport/service-kit/database'
import { createDrain } from '@tideport/service-kit/drain-connections'
import { createPrincipalVerifier } from '@tideport/service-kit/principal-token'
import { run } from '@tideport/service-kit/run'
import { watchDatabase } from '@tideport/service-kit/watch-database'
import { createApp } from './app.ts'
import { settings } from './config.ts'
import { createKeyUsage } from './key-usage.ts'
import { migrations, schema } from './migrations.ts'
import type { AuthDb } from './tables.ts'

await run('auth', settings, process.env, async (context) => {
  const { config, log, metrics, health, stack, signal } = context
  const db = stack.use(openDatabase<AuthDb>({ ...config, schema, name: 'auth', log, metrics }))
  watchDatabase({ db, schema, migrations, health, log })

  const keyUsage = stack.use(createKeyUsage({ db, log }))
  const verifyPrincipal = createPrincipalVerifier({ publicKeys: config.identityTokenPublicKeys, audience: 'auth' })
  const app = stack.use(createApp({ db, keyUsage, verifyPrincipal, log, metrics, signal }))
  context.beforeStop(createDrain(app, config))
  const address = await app.listen({ host: config.host, port: config.port })
  log.info({ address }, 'listening')
})
