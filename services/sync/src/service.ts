import { rehydrateJob, storeJob } from '@tideport/contracts/internal/messages'
import { consumers, networkConsumers } from '@tideport/contracts/internal/streams'
import { storeCopy } from '@tideport/file-lifecycle/copies/store-copy'
import { openWorker } from '@tideport/file-lifecycle/process/open-context'
import { rehydrateFile } from '@tideport/file-lifecycle/rehydrate/rehydrate-file'
import { startDispatch } from '@tideport/file-lifecycle/work/dispatch'
import { attemptMetrics, handleJob } from '@tideport/file-lifecycle/work/handle-job'
import { showStatistics } from '@tideport/repair/statistics/show-statistics'
import { observeBroker } from '@tideport/service-kit/nats/broker-metrics'
import { consume } from '@tideport/service-kit/nats/consume'
import { type Poll, stirring } from '@tideport/service-kit/process/poll'
import { defineService } from '@tideport/service-kit/process/service'
import { showSlots } from '@tideport/service-kit/process/slots'
import { settings } from './config.ts'
import { servedNetworks } from './served-networks.ts'

export const sync = defineService({
  name: 'sync',
  settings,
  async start(context) {
    const { config, stack } = context
    const worker = await openWorker('sync', context, { toStore: true })
    showStatistics(worker.db, worker.networks, context)
    const parts = { ...config, ...worker }
    const { syncConcurrency: concurrency } = config
    const common = { ...worker, link: worker.nats, concurrency, onError: 'ack' as const }
    const dispatch = { ...worker, intervalSeconds: config.dispatchIntervalSeconds }

    const noteAttempt = attemptMetrics(worker.metrics, 'store')
    const polls: Poll[] = []
    const served = servedNetworks(worker.networks, config.syncNetworks)
    const queues = served.map((network) => {
      const circuit = worker.circuitOf(network)
      const consumer = networkConsumers(network.name).store
      const handle = stirring(polls, handleJob({ ...worker, circuit, noteAttempt }, storeCopy(parts, network)))
      const consumption = stack.use(
        consume({ ...common, consumer, message: storeJob, handle, shouldPull: circuit.isClosed }),
      )
      if (worker.networks.required.includes(network.name)) {
        polls.push(stack.use(startDispatch(dispatch, { step: 'store', network: network.name })))
      }
      return { consumer, busy: consumption.busy }
    })
    const rehydration = stack.use(
      consume({
        ...common,
        consumer: consumers.rehydrate,
        message: rehydrateJob,
        handle: stirring(
          polls,
          handleJob({ ...worker, noteAttempt: attemptMetrics(worker.metrics, 'rehydrate') }, rehydrateFile(parts)),
        ),
        shouldPull: worker.circuit.isClosed,
      }),
    )
    polls.push(stack.use(startDispatch(dispatch, { step: 'rehydrate' })))

    const busy = () => [rehydration, ...queues].reduce((sum, queue) => sum + queue.busy(), 0)
    showSlots(worker.metrics, 'sync', { slots: concurrency * (queues.length + 1), busy })
    observeBroker(worker.nats, worker.metrics, [consumers.rehydrate, ...queues.map(({ consumer }) => consumer)])
  },
})
