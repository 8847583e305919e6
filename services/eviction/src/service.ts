import { observeJobs } from '@tideport/bulk-jobs/jobs/job-metrics'
import { evictJob, proveJob } from '@tideport/contracts/internal/messages'
import { consumers, networkConsumers } from '@tideport/contracts/internal/streams'
import { exportBuckets } from '@tideport/export/bucket/export-buckets'
import { jobKinds } from '@tideport/export/job/job-kinds'
import { proveCopy } from '@tideport/file-lifecycle/copies/prove-copy'
import { createEvictionRate, evictFile } from '@tideport/file-lifecycle/evict/evict-file'
import { openWorker } from '@tideport/file-lifecycle/process/open-context'
import { startDispatch } from '@tideport/file-lifecycle/work/dispatch'
import { attemptMetrics, handleJob } from '@tideport/file-lifecycle/work/handle-job'
import type { Queue } from '@tideport/file-lifecycle/work/steps'
import { showStatistics } from '@tideport/repair/statistics/show-statistics'
import { observeBroker } from '@tideport/service-kit/nats/broker-metrics'
import { consume } from '@tideport/service-kit/nats/consume'
import { type Poll, stirring } from '@tideport/service-kit/process/poll'
import { defineService } from '@tideport/service-kit/process/service'
import { settings } from './config.ts'
import { startTasks } from './periodic/start-tasks.ts'

export const eviction = defineService({
  name: 'eviction',
  settings,
  async start(context) {
    const { config, stack } = context
    const worker = await openWorker('eviction', context, { toStore: false })
    const { networks } = worker
    showStatistics(worker.db, networks, context)
    const buckets = await exportBuckets(config, context.log)
    const parts = { ...config, ...worker, exportBuckets: buckets, kinds: jobKinds(buckets) }
    const rate = createEvictionRate(worker.db, config.evictionsPerMinuteMax)
    const noteEviction = attemptMetrics(worker.metrics, 'evict', ['rate_capped'])
    const common = {
      ...worker,
      link: worker.nats,
      concurrency: config.evictionConcurrency,
      onError: 'ack' as const,
    }
    const polls: Poll[] = []
    stack.use(
      consume({
        ...common,
        consumer: consumers.evict,
        message: evictJob,
        handle: stirring(polls, handleJob({ ...worker, noteAttempt: noteEviction }, evictFile({ ...parts, rate }))),
        shouldPull: () => worker.circuit.isClosed() && rate.hasRoom(),
      }),
    )
    const intervalSeconds = config.dispatchIntervalSeconds
    const dispatch = (queue: Queue) => polls.push(stack.use(startDispatch({ ...worker, intervalSeconds }, queue)))
    dispatch({ step: 'evict' })
    const noteAttempt = attemptMetrics(worker.metrics, 'prove')
    for (const network of networks.all()) {
      const circuit = worker.circuitOf(network)
      const own = { ...parts, circuit }
      const { prove: consumer } = networkConsumers(network.name)
      const handle = stirring(polls, handleJob({ ...worker, circuit, noteAttempt }, proveCopy(own, network)))
      stack.use(consume({ ...common, consumer, message: proveJob, handle, shouldPull: circuit.isClosed }))
      dispatch({ step: 'prove', network: network.name })
    }
    observeBroker(worker.nats, worker.metrics, [
      consumers.evict,
      ...networks.order.map((name) => networkConsumers(name).prove),
    ])
    observeJobs(worker.db, worker.metrics)
    polls.push(...startTasks(parts, stack))
  },
})
