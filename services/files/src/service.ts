import { consumers, networkConsumers } from '@tideport/contracts/internal/streams'
import { openFilesContext } from '@tideport/file-lifecycle/process/open-context'
import { showStatistics } from '@tideport/repair/statistics/show-statistics'
import { createPrincipalVerifier } from '@tideport/service-kit/http/principal-token'
import { serveHttp } from '@tideport/service-kit/http/serve-http'
import { observeBroker } from '@tideport/service-kit/nats/broker-metrics'
import { openConnections } from '@tideport/service-kit/postgres/open-connections'
import { defineService } from '@tideport/service-kit/process/service'
import { createApp } from './app.ts'
import { settings } from './config.ts'

export const files = defineService({
  name: 'files',
  settings,
  async start(context) {
    const { config, log, metrics, stack, signal } = context
    const parts = await openFilesContext('files', context)
    const statistics = showStatistics(parts.db, parts.networks, context)
    // Observes all consumers, because a worker that consumes no messages cannot report how many are waiting.
    const ofNetworks = parts.networks.order.flatMap((name) => Object.values(networkConsumers(name)))
    observeBroker(parts.nats, metrics, [...Object.values(consumers), ...ofNetworks])
    const verifyPrincipal = createPrincipalVerifier({ publicKeys: config.identityTokenPublicKeys, audience: 'files' })
    const app = stack.use(createApp({ ...parts, statistics, config, verifyPrincipal, log, metrics, signal }))
    await openConnections(parts.db)
    await serveHttp(app, context)
  },
})
