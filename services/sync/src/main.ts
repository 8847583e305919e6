import { syncJob } from '@tideport/contracts/internal/messages'
import { consumers } from '@tideport/contracts/internal/streams'
import { syncFile } from '@tideport/file-lifecycle/copies/sync-file'
import { openWorker } from '@tideport/file-lifecycle/process/open-worker'
import { rehydrateFile } from '@tideport/file-lifecycle/rehydrate/rehydrate-file'
import { handleJob } from '@tideport/file-lifecycle/work/handle-job'
import { startDispatch } from '@tideport/file-lifecycle/work/start-dispatch'
import { observeBroker } from '@tideport/service-kit/nats/broker-metrics'
import { consume } from '@tideport/service-kit/nats/consume'
import { run } from '@tideport/service-kit/process/run'
import { showSlots } from '@tideport/service-kit/process/slot-metrics'
import { settings } from './config.ts'

await run('sync', settings, process.env, async (context) => {
  const { config, stack } = context
  const worker = openWorker('sync', context, { toStore: true })
  const parts = { ...config, ...worker }
  const { busy } = stack.use(
    consume({
      ...worker,
      link: worker.nats,
      consumer: consumers.sync,
      message: syncJob,
      handle: handleJob(worker, syncFile(parts), rehydrateFile(parts)),
      shouldPull: worker.circuit.isClosed,
      concurrency: config.syncConcurrency,
      onError: 'ack',
    }),
  )
  showSlots(worker.metrics, 'sync', { slots: config.syncConcurrency, busy })
  observeBroker(worker.nats, worker.metrics, [consumers.sync])
  const dispatch = { ...worker, intervalSeconds: config.dispatchIntervalSeconds }
  stack.use(startDispatch(dispatch, 'sync'))
  stack.use(startDispatch(dispatch, 'rehydrate'))
})
