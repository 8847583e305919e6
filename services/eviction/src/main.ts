import { evictJob } from '@tideport/contracts/internal/messages'
import { consumers } from '@tideport/contracts/internal/streams'
import { renewLeases } from '@tideport/file-lifecycle/copies/renew-leases'
import { evictFile } from '@tideport/file-lifecycle/evict/evict-file'
import { createEvictionRate } from '@tideport/file-lifecycle/evict/eviction-rate'
import { openWorker } from '@tideport/file-lifecycle/process/open-worker'
import { emptyTrash, purgeVaults } from '@tideport/file-lifecycle/removal/empty-trash'
import { forgetOld } from '@tideport/file-lifecycle/removal/forget-old'
import { purgeFiles } from '@tideport/file-lifecycle/removal/purge-files'
import { expireUploads } from '@tideport/file-lifecycle/upload/expire-uploads'
import { finishConfirms } from '@tideport/file-lifecycle/upload/finish-confirms'
import { settleUploads } from '@tideport/file-lifecycle/upload/settle-uploads'
import { handleJob } from '@tideport/file-lifecycle/work/handle-job'
import { startDispatch } from '@tideport/file-lifecycle/work/start-dispatch'
import { observeBroker } from '@tideport/service-kit/nats/broker-metrics'
import { consume } from '@tideport/service-kit/nats/consume'
import { type Clock, every } from '@tideport/service-kit/process/every'
import { run } from '@tideport/service-kit/process/run'
import { settings } from './config.ts'

await run('eviction', settings, process.env, async (context) => {
  const { config, stack } = context
  const worker = openWorker('eviction', context, { toStore: false })
  const parts = { ...config, ...worker }
  const rate = createEvictionRate(worker.db, config.evictionsPerMinuteMax)
  stack.use(
    consume({
      ...worker,
      link: worker.nats,
      consumer: consumers.evict,
      message: evictJob,
      handle: handleJob(worker, evictFile({ ...parts, rate })),
      shouldPull: () => worker.circuit.isClosed() && rate.hasRoom(),
      concurrency: config.evictionConcurrency,
      onError: 'ack',
    }),
  )
  observeBroker(worker.nats, worker.metrics, [consumers.evict])
  const intervalSeconds = config.dispatchIntervalSeconds
  stack.use(startDispatch({ ...worker, intervalSeconds }, 'evict'))
  const clock = (name: string, task: (stopping: AbortSignal) => Promise<boolean>) => {
    const runs: Clock = every(
      intervalSeconds * 1000,
      name,
      async (stopping) => {
        if (await task(stopping)) runs.wake()
      },
      worker,
    )
    stack.use(runs)
  }
  clock('finish confirms', (stopping) => finishConfirms(parts, stopping))
  clock('expire uploads', (stopping) => expireUploads(parts, stopping))
  clock('empty the trash', (stopping) => emptyTrash(parts, stopping))
  clock('purge vaults', (stopping) => purgeVaults(parts, stopping))
  clock('purge files', (stopping) => purgeFiles(parts, stopping))
  clock('settle uploads', (stopping) => settleUploads(parts, stopping))
  clock('renew leases', (stopping) => renewLeases(parts, stopping))
  clock('forget what is old', () => forgetOld(parts))
})
