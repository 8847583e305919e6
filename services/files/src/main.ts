import { consumers, networkConsumers } from '@tideport/contracts/internal/streams'
import { openFilesContext } from '@tideport/file-lifecycle/process/open-context'
import { showStatistics } from '@tideport/repair/statistics/show-statistics'
import { answersUnderWay } from '@tideport/service-kit/http/answers-under-way'
import { createDrain } from '@tideport/service-kit/http/drain-connections'
import { createPrincipalVerifier } from '@tideport/service-kit/http/principal-token'
import { observeBroker } from '@tideport/service-kit/nats/broker-metrics'
import { openConnections } from '@tideport/service-kit/postgres/open-connections'
import { run } from '@tideport/service-kit/process/run'
import { createApp } from './app.ts'
import { settings } from './config.ts'

await run('files', settings, process.env, async (context) => {
  const { config, log, metrics, stack, signal } = context
  const parts = await openFilesContext('files', context)
  const statistics = showStatistics(parts.db, parts.networks, context)
  // Observes all consumers, because a worker that consumes no messages cannot report how many are waiting.
  const ofNetworks = parts.networks.order.flatMap((name) => Object.values(networkConsumers(name)))
  observeBroker(parts.nats, metrics, [...Object.values(consumers), ...ofNetworks])
  const verifyPrincipal = createPrincipalVerifier({ publicKeys: config.identityTokenPublicKeys, audience: 'files' })
  const app = stack.use(createApp({ ...parts, statistics, config, verifyPrincipal, log, metrics, signal }))
  context.beforeStop(createDrain(app, config))
  context.letFinish(answersUnderWay(app, config))
  await openConnections(parts.db)
  const address = await app.listen({ host: config.host, port: config.port })
  log.info({ address }, 'listening')
})
