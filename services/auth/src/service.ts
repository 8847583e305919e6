import { createBatching } from '@tideport/service-kit/batching/batching'
import { createPrincipalVerifier } from '@tideport/service-kit/http/principal-token'
import { serveHttp } from '@tideport/service-kit/http/serve-http'
import { connectNats } from '@tideport/service-kit/nats/nats'
import { openDatabase } from '@tideport/service-kit/postgres/database'
import { forgetRows } from '@tideport/service-kit/postgres/forget-rows'
import { openConnections } from '@tideport/service-kit/postgres/open-connections'
import { watchDatabase } from '@tideport/service-kit/postgres/watch-database'
import { createAnswerLife } from '@tideport/service-kit/process/answer-life'
import { every } from '@tideport/service-kit/process/every'
import { defineService } from '@tideport/service-kit/process/service'
import { sql } from 'kysely'
import { createApp } from './app.ts'
import { receiveAuditRecords } from './audit/receive-audit-records.ts'
import { startForgetting } from './audit/record-event.ts'
import { settings } from './config.ts'
import { createKeyUsage } from './keys/key-usage.ts'
import { migrations, schema } from './migrations.ts'
import { printSetUpLink } from './owner/print-set-up-link.ts'
import type { AuthDb } from './tables.ts'

export const auth = defineService({
  name: 'auth',
  settings,
  async start(context) {
    const { config, log, metrics, health, stack, signal } = context
    const db = stack.use(openDatabase<AuthDb>({ ...config, schema, name: 'auth', log, metrics }))
    watchDatabase({ db, schema, migrations, health, log })

    stack.use(startForgetting(db, { retentionSeconds: config.auditRetentionSeconds, signal, log }))
    const forget = () => forgetRows(db, 'used_challenge', sql`expires_at < now()`)
    stack.use(every(60_000, 'delete expired challenges', forget, { signal, log }))
    const nats = stack.use(connectNats({ ...config, name: 'auth', log, metrics }))
    health.dependency('nats', () => nats.connection() !== null)
    stack.use(receiveAuditRecords({ db, nats, log, signal }))
    const keyUsage = stack.use(createKeyUsage({ db, log }))
    const verifyPrincipal = createPrincipalVerifier({ publicKeys: config.identityTokenPublicKeys, audience: 'auth' })
    const answerLife = createAnswerLife({ mostMs: config.revocationWaitSeconds * 1000 })
    const { publicUrl, s3ApiSecretKeys: s3SecretKeys } = config
    const keys = { batching: createBatching(), keyUsage, answerLife, s3SecretKeys }
    const app = stack.use(createApp({ db, ...keys, publicUrl, verifyPrincipal, log, metrics, signal }))
    await openConnections(db)
    if (config.serviceEnv !== 'development') stack.use(printSetUpLink({ db, publicUrl, log, signal }))
    await serveHttp(app, context)
  },
})
