import { evictJob } from '@tideport/contracts/messages'
import { consumers } from '@tideport/contracts/streams'
import { handleJob } from '@tideport/file-lifecycle/handle-job'
import { openWorker } from '@tideport/file-lifecycle/open-worker'
import { startDispatch } from '@tideport/file-lifecycle/start-dispatch'
import { observeBroker } from '@tideport/service-kit/broker-metrics'
import { consume } from '@tideport/service-kit/consume'
import { type Clock, every } from '@tideport/service-kit/every'
import { run } from '@tideport/service-kit/run'
import { settings } from './config.ts'
import { emptyTrash, purgeVaults } from './empty-trash.ts'
import { evictFile } from './evict-file.ts'
import { createEvictionRate } from './eviction-rate.ts'
import { expireUploads } from './expire-uploads.ts'
import { finishConfirms } from './finish-confirms.ts'
import { forgetOld } from './forget-old.ts'
import { purgeFiles } from './purge-files.ts'
import { renewLeases } from './renew-leases.ts'
import { settleUploads } from './settle-uploads.ts'

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
