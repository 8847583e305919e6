import { dueQueues, queues } from '@tideport/bulk-jobs/jobs/claim-jobs'
import { runJobs } from '@tideport/bulk-jobs/jobs/run-jobs'
import { BUSY_PAUSE_MS } from '@tideport/file-lifecycle/work/start-dispatch'
import { type Poll, poll } from '@tideport/service-kit/process/poll'
import { type Parts, periodicTasks, type Run } from './tasks.ts'

/** Turns that a process takes at once, by queue: exports into buckets of accounts have more, for each waits for its bucket. */
const TURNS_AT_ONCE = { quick: 1, slow: 1, buckets: 4, slow_buckets: 2 }
const RARELY_MS = 60_000

/** Starts the periodic tasks. Returns those that find more to do after a copy was proved or a file evicted. */
export function startTasks(parts: Parts, stack: AsyncDisposableStack): Poll[] {
  const pauses = { minMs: BUSY_PAUSE_MS, maxMs: parts.dispatchIntervalSeconds * 1000 }
  const rarely = { ...pauses, maxMs: RARELY_MS }
  const untilDone = (between: typeof pauses, name: string, task: Run): Poll => {
    const look = async (stopping: AbortSignal) => {
      const hasMore = await task(stopping)
      if (hasMore) runs.wake()
      return hasMore
    }
    const runs = stack.use(poll(between, name, look, parts))
    return runs
  }
  const polls = periodicTasks(parts).flatMap(({ name, run, isRare = false }) => {
    if (!isRare) return [untilDone(pauses, name, run)]
    stack.use(poll(rarely, name, run, parts))
    return []
  })
  const turns = queues.flatMap((queue) =>
    Array.from({ length: TURNS_AT_ONCE[queue] }, (_, place) => {
      const take: Run = (stopping) => runJobs(parts, queue, stopping)
      return { queue, turn: untilDone(rarely, `carry on ${queue} jobs of accounts (${place + 1})`, take) }
    }),
  )
  // One look for all of them, which at rest is most of what there is to ask.
  const lookForJobs = async () => {
    const due = await dueQueues(parts)
    for (const { queue, turn } of turns) if (due.includes(queue)) turn.wake()
    return due.length > 0
  }
  return [...polls, stack.use(poll(pauses, 'look for jobs of accounts', lookForJobs, parts))]
}
