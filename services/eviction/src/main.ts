import { dueQueues, queues } from '@tideport/bulk-jobs/jobs/claim-jobs'
import { observeJobs } from '@tideport/bulk-jobs/jobs/job-metrics'
import { runJobs } from '@tideport/bulk-jobs/jobs/run-jobs'
import { evictJob, proveJob } from '@tideport/contracts/internal/messages'
import { consumers, networkConsumers } from '@tideport/contracts/internal/streams'
import { runKind } from '@tideport/contracts/public/operator-runs'
import { exportBuckets } from '@tideport/export/bucket/export-buckets'
import { leaveBuckets } from '@tideport/export/bucket/leave-buckets'
import { jobKinds } from '@tideport/export/job/job-kinds'
import { checkCopies } from '@tideport/file-lifecycle/copies/check-copies'
import { dropCopies } from '@tideport/file-lifecycle/copies/drop-copies'
import { proveCopy } from '@tideport/file-lifecycle/copies/prove-copy'
import { renewLeases } from '@tideport/file-lifecycle/copies/renew-leases'
import { walkFiles } from '@tideport/file-lifecycle/copies/walk-files'
import { evictFile } from '@tideport/file-lifecycle/evict/evict-file'
import { createEvictionRate } from '@tideport/file-lifecycle/evict/eviction-rate'
import { openWorker } from '@tideport/file-lifecycle/process/open-worker'
import { emptyTrash, purgeVaults } from '@tideport/file-lifecycle/removal/empty-trash'
import { expireFiles } from '@tideport/file-lifecycle/removal/expire-files'
import { forgetOld } from '@tideport/file-lifecycle/removal/forget-old'
import { purgeFiles } from '@tideport/file-lifecycle/removal/purge-files'
import { foldUsage } from '@tideport/file-lifecycle/state/fold-usage'
import { indexNames } from '@tideport/file-lifecycle/state/index-names'
import { recordUsage } from '@tideport/file-lifecycle/state/record-usage'
import { cleanUpUploads } from '@tideport/file-lifecycle/upload/clean-up-uploads'
import { confirmUploads, finishConfirms } from '@tideport/file-lifecycle/upload/confirm-later'
import { expireUploads } from '@tideport/file-lifecycle/upload/expire-uploads'
import { attemptMetrics } from '@tideport/file-lifecycle/work/attempt-metrics'
import { handleJob } from '@tideport/file-lifecycle/work/handle-job'
import { BUSY_PAUSE_MS, startDispatch } from '@tideport/file-lifecycle/work/start-dispatch'
import type { Queue } from '@tideport/file-lifecycle/work/steps'
import { carryOnRun } from '@tideport/repair/runs/carry-on-run'
import { showStatistics } from '@tideport/repair/statistics/show-statistics'
import { observeBroker } from '@tideport/service-kit/nats/broker-metrics'
import { consume } from '@tideport/service-kit/nats/consume'
import { type Poll, poll, stirring } from '@tideport/service-kit/process/poll'
import { run } from '@tideport/service-kit/process/run'
import { settings } from './config.ts'

/** Turns that a process takes at once, by queue: exports into buckets of accounts have more, for each waits for its bucket. */
const TURNS_AT_ONCE = { quick: 1, slow: 1, buckets: 4, slow_buckets: 2 }
const RARELY_MS = 60_000

await run('eviction', settings, process.env, async (context) => {
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
  const pauses = { minMs: BUSY_PAUSE_MS, maxMs: intervalSeconds * 1000 }
  // What the looks for it wake, and what can wait for a minute because it is old by a day or more.
  const rarely = { ...pauses, maxMs: RARELY_MS }
  type Task = (stopping: AbortSignal) => Promise<boolean>
  const untilDone = (between: typeof pauses, name: string, task: Task): Poll => {
    const look = async (stopping: AbortSignal) => {
      const hasMore = await task(stopping)
      if (hasMore) runs.wake()
      return hasMore
    }
    const runs = stack.use(poll(between, name, look, worker))
    return runs
  }
  const periodic = (name: string, task: Task) => polls.push(untilDone(pauses, name, task))
  const noteAttempt = attemptMetrics(worker.metrics, 'prove')
  for (const network of networks.all()) {
    const circuit = worker.circuitOf(network)
    const own = { ...parts, circuit }
    const { prove: consumer } = networkConsumers(network.name)
    const handle = stirring(polls, handleJob({ ...worker, circuit, noteAttempt }, proveCopy(own, network)))
    stack.use(consume({ ...common, consumer, message: proveJob, handle, shouldPull: circuit.isClosed }))
    dispatch({ step: 'prove', network: network.name })
    periodic(`check copies on ${network.name}`, (stopping) => checkCopies(own, network, stopping))
    periodic(`drop copies on ${network.name}`, (stopping) => dropCopies(own, network, stopping))
    periodic(`renew leases on ${network.name}`, (stopping) => renewLeases(own, network, stopping))
  }
  observeBroker(worker.nats, worker.metrics, [
    consumers.evict,
    ...networks.order.map((name) => networkConsumers(name).prove),
  ])
  periodic('compare files with the networks', (stopping) => walkFiles(parts, stopping))
  periodic('finish confirms', (stopping) => finishConfirms(parts, stopping))
  periodic('confirm uploads', (stopping) => confirmUploads(parts, stopping))
  periodic('expire uploads', (stopping) => expireUploads(parts, stopping))
  periodic('expire files', (stopping) => expireFiles(parts, stopping))
  periodic('empty the trash', (stopping) => emptyTrash(parts, stopping))
  periodic('purge vaults', (stopping) => purgeVaults(parts, stopping))
  periodic('purge files', (stopping) => purgeFiles(parts, stopping))
  periodic('clean up uploads', (stopping) => cleanUpUploads(parts, stopping))
  observeJobs(worker.db, worker.metrics)
  const turns = queues.flatMap((queue) =>
    Array.from({ length: TURNS_AT_ONCE[queue] }, (_, place) => {
      const take = (stopping: AbortSignal) => runJobs(parts, queue, stopping)
      return { queue, turn: untilDone(rarely, `carry on ${queue} jobs of accounts (${place + 1})`, take) }
    }),
  )
  // One look for all of them, which at rest is most of what there is to ask.
  const lookForJobs = async () => {
    const due = await dueQueues(parts)
    for (const { queue, turn } of turns) if (due.includes(queue)) turn.wake()
    return due.length > 0
  }
  polls.push(stack.use(poll(pauses, 'look for jobs of accounts', lookForJobs, worker)))
  periodic('leave buckets', (stopping) => leaveBuckets(parts, stopping))
  for (const kind of runKind.options) {
    periodic(`carry on a ${kind} of operators`, (stopping) => carryOnRun(parts, kind, stopping))
  }
  periodic('index names', () => indexNames(parts))
  periodic('fold usage', () => foldUsage(parts))
  periodic('record usage by day', () => recordUsage(parts))
  stack.use(poll(rarely, 'forget what is old', () => forgetOld(parts), worker))
})
