import { readFile } from 'node:fs/promises'
import { anyEvent } from '@tideport/contracts/internal/messages'
import { consumers } from '@tideport/contracts/internal/streams'
import { createHttpServer } from '@tideport/service-kit/http/http-server'
import { createPrincipalVerifier } from '@tideport/service-kit/http/principal-token'
import { serveHttp } from '@tideport/service-kit/http/serve-http'
import { observeBroker } from '@tideport/service-kit/nats/broker-metrics'
import { consumeBatches } from '@tideport/service-kit/nats/consume-batches'
import { connectNats } from '@tideport/service-kit/nats/nats'
import { createAddressGuard, loopbackNetworks } from '@tideport/service-kit/outgoing/address-guard'
import { createDnsResolver } from '@tideport/service-kit/outgoing/dns-resolver'
import { parseHosts } from '@tideport/service-kit/outgoing/hosts-file'
import { openDatabase } from '@tideport/service-kit/postgres/database'
import { openConnections } from '@tideport/service-kit/postgres/open-connections'
import { watchDatabase } from '@tideport/service-kit/postgres/watch-database'
import { defineService } from '@tideport/service-kit/process/service'
import { createSecretBox } from '@tideport/service-kit/secrets/secret-box'
import { routes } from './app.ts'
import { observeAuditEntries, startAuditRelay } from './audit/relay-audit-entries.ts'
import { settings } from './config.ts'
import { startDelivering } from './delivery/delivery-loop.ts'
import { createDeliveryMetrics } from './delivery/delivery-metrics.ts'
import { fanOut } from './delivery/fan-out.ts'
import { startPruning } from './delivery/prune-log.ts'
import { openWaitingReaders } from './feed/waiting-readers.ts'
import { createLookUpMetric, createOutgoing } from './outgoing/outgoing.ts'
import { startClearing } from './subscriptions/clear-voided.ts'
import type { WebhooksDb } from './tables.ts'

const NAME = 'webhooks'
const HOSTS_FILE = '/etc/hosts'
const FAN_OUT = { batchMax: 200, concurrency: 2 }
/** Part of the shutdown time that remains to release claims after deliveries in progress are aborted. */
const RELEASE_SECONDS = 5

export const webhooks = defineService({
  name: NAME,
  settings,
  async start(context) {
    const { config, log, metrics, health, stack, signal } = context
    const db = stack.use(openDatabase<WebhooksDb>({ ...config, schema: NAME, name: NAME, log, metrics }))
    watchDatabase({ db, schema: NAME, migrations: new URL('../migrations/', import.meta.url), health, log })
    const link = stack.use(connectNats({ ...config, name: NAME, log, metrics }))
    health.dependency('nats', () => link.connection() !== null)
    observeBroker(link, metrics, [consumers.fanOut])
    observeAuditEntries(metrics, db)

    const isDevelopment = config.serviceEnv === 'development'
    const allowedNetworks = [...config.webhookAllowCidrs, ...(isDevelopment ? loopbackNetworks : [])]
    if (allowedNetworks.length > 0) log.warn({ networks: allowedNetworks }, 'webhooks may be sent to private networks')
    const allows = createAddressGuard(allowedNetworks)
    const timeoutSeconds = config.webhookTimeoutSeconds
    const names = createDnsResolver({
      servers: config.webhookDnsServers,
      hosts: parseHosts(await readFile(HOSTS_FILE, 'utf8').catch(() => '')),
      onOutcome: createLookUpMetric(metrics),
    })
    const deps = {
      db,
      outgoing: stack.use(createOutgoing({ timeoutMs: timeoutSeconds * 1000, allows, resolve: names.resolve })),
      secretBox: createSecretBox(config.webhookSecretKeys),
      retryScale: config.webhookRetryScale,
      metrics: createDeliveryMetrics(metrics, db),
      urlRules: { isDevelopment, allows },
      timeoutSeconds,
      secretOverlapSeconds: config.webhookSecretOverlapSeconds,
      log,
    }
    const concurrency = config.webhookConcurrency
    const drainSeconds = Math.min(config.connectionDrainSeconds, config.shutdownSeconds / 2)
    const graceSeconds = Math.max(1, config.shutdownSeconds - drainSeconds - RELEASE_SECONDS)
    const loop = stack.use(startDelivering(deps, { concurrency, timeoutSeconds, graceSeconds, names, signal }))
    const readers = stack.use(openWaitingReaders(db, { signal, log }))
    stack.use(startClearing(db, { signal, log }))
    stack.use(startAuditRelay({ db, nats: link, log, signal }))
    const { webhookLogRetentionSeconds: retentionSeconds, auditRetentionSeconds } = config
    stack.use(startPruning(db, { retentionSeconds, auditRetentionSeconds, signal, log }))
    const onDeliveries = () => {
      loop.wake()
      readers.wake()
    }
    stack.use(
      consumeBatches({
        link,
        consumer: consumers.fanOut,
        message: anyEvent,
        handle: fanOut({ db, onDeliveries }),
        ...FAN_OUT,
        log,
        metrics,
        signal,
      }),
    )
    const verifyPrincipal = createPrincipalVerifier({ publicKeys: config.identityTokenPublicKeys, audience: NAME })
    const app = stack.use(
      createHttpServer({
        routes: routes({ ...deps, readers, onDue: () => loop.wake(), onEnded: loop.wake }),
        verifyPrincipal,
        log,
        metrics,
        signal,
      }),
    )
    await openConnections(db)
    await serveHttp(app, context)
  },
})
