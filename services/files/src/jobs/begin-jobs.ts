import type { JobDeps } from '@tideport/bulk-jobs/jobs/job-kind'
import { runJobs } from '@tideport/bulk-jobs/jobs/run-jobs'
import { jobKinds } from '@tideport/export/job/job-kinds'
import { outsideOfRequests } from '@tideport/service-kit/context/request-context'

export type BeginJobs = () => void

/** Runs fast jobs for one turn, one after another. Eviction continues unfinished and failed ones. */
export function createBeginJobs(deps: JobDeps & { signal: AbortSignal }): BeginJobs {
  const { log, signal } = deps
  let isRunning = false
  let isAskedAgain = false
  async function run(): Promise<void> {
    isRunning = true
    try {
      do {
        isAskedAgain = false
        await runJobs({ ...deps, kinds: jobKinds(null) }, 'quick', signal)
      } while (isAskedAgain && !signal.aborted)
    } finally {
      isRunning = false
    }
  }
  return () => {
    isAskedAgain = true
    if (isRunning) return
    outsideOfRequests(run).catch((error: unknown) => {
      log.warn({ err: error }, 'could not start jobs; a periodic task starts them')
    })
  }
}
