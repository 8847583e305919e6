import { dueQueues, queues } from '@tideport/bulk-jobs/jobs/claim-jobs'
import type { KindsOfJobs } from '@tideport/bulk-jobs/jobs/job-kind'
import { runJobs } from '@tideport/bulk-jobs/jobs/run-jobs'
import { runKind } from '@tideport/contracts/public/operator-runs'
import { cleanUpCancelledExports } from '@tideport/export/bucket/clean-up-cancelled-exports'
import type { ExportDeps } from '@tideport/export/bucket/export-buckets'
import type { Worker } from '@tideport/file-lifecycle/process/open-context'
import { type Run, type Task, tasksOfFiles } from '@tideport/file-lifecycle/process/periodic-tasks'
import { BUSY_PAUSE_MS } from '@tideport/file-lifecycle/work/dispatch'
import { carryOnRun } from '@tideport/repair/runs/carry-on-run'
import { type Poll, poll } from '@tideport/service-kit/process/poll'
import type { EvictionConfig } from '../config.ts'
import { hostTasks } from './task-leases.ts'

/**
 * Concurrent turns of a process, by queue. Exports into buckets of accounts have more turns, because each one waits for
 * its bucket.
 */
const TURNS_AT_ONCE = { quick: 1, slow: 1, buckets: 4, slow_buckets: 2 }
const RARELY_MS = 60_000

/**
 * Starts the periodic tasks, which run while this process hosts them. Returns the tasks that have more work after a
 * copy was proved or a file evicted.
 */
export function startTasks(parts: Parts, stack: AsyncDisposableStack): Poll[] {
  const pauses = { minMs: BUSY_PAUSE_MS, maxMs: parts.dispatchIntervalSeconds * 1000 }
  const rarely = { ...pauses, maxMs: RARELY_MS }
  const hosted: Poll[] = []
  const host = stack.use(
    hostTasks(parts, () => {
      for (const one of hosted) one.wake()
    }),
  )
  const start = (between: typeof pauses, name: string, run: Run) => stack.use(poll(between, name, run, parts))
  const whileHosting = (between: typeof pauses, name: string, run: Run): Poll => {
    const started = start(between, name, async (stopping) => host.isOurs() && (await run(stopping)))
    hosted.push(started)
    return started
  }
  const untilDone = (begin: typeof start, between: typeof pauses, name: string, run: Run): Poll => {
    const runs = begin(between, name, async (stopping) => {
      const hasMore = await run(stopping)
      if (hasMore) runs.wake()
      return hasMore
    })
    return runs
  }
  const polls = periodicTasks(parts).flatMap(({ name, run, isRare, inEveryProcess }) => {
    if (!isRare) return [untilDone(inEveryProcess ? start : whileHosting, pauses, name, run)]
    whileHosting(rarely, name, run)
    return []
  })
  const turns = queues.flatMap((queue) =>
    Array.from({ length: TURNS_AT_ONCE[queue] }, (_, place) => {
      const take: Run = (stopping) => runJobs(parts, queue, stopping)
      return { queue, turn: untilDone(whileHosting, rarely, `run account jobs: ${queue} (${place + 1})`, take) }
    }),
  )
  // One query polls for all queues, because an idle installation sends little else.
  const lookForJobs = async () => {
    const due = await dueQueues(parts)
    for (const { queue, turn } of turns) if (due.includes(queue)) turn.wake()
    return due.length > 0
  }
  return [...polls, whileHosting(pauses, 'poll for due account jobs', lookForJobs)]
}

export type Parts = EvictionConfig & Worker & ExportDeps & { kinds: KindsOfJobs }

function periodicTasks(parts: Parts): Task[] {
  return [
    ...tasksOfFiles(parts),
    { name: 'clean up cancelled exports', run: (stopping) => cleanUpCancelledExports(parts, stopping) },
    ...runKind.options.map((kind) => ({
      name: `continue operator run: ${kind}`,
      run: (stopping: AbortSignal) => carryOnRun(parts, kind, stopping),
    })),
  ]
}
