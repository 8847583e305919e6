import { CLAIM_SECONDS } from '@tideport/file-lifecycle/state/state'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import type { Log } from '@tideport/service-kit/telemetry/logger'
import type { Kysely } from 'kysely'
import { type AccountJobRow, claimedAgain, writeJob } from './account-job.ts'
import { JobLost } from './job-kind.ts'

/** Renews the claim during work outside Postgres. The signal aborts when the job is lost. */
export async function whileClaimed<T>(
  { db, log }: { db: Kysely<FilesDb>; log: Log },
  job: AccountJobRow,
  parent: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController()
  const renewal = setInterval(
    () => {
      writeJob(db, job, claimedAgain).then(
        (written) => {
          if (written === null) lost.abort(new JobLost('Another process has claimed the job'))
        },
        (error: unknown) => log.debug({ err: error, jobId: job.id }, 'could not renew the claim'),
      )
    },
    (CLAIM_SECONDS * 1000) / 12,
  )
  try {
    return await work(AbortSignal.any([parent, lost.signal]))
  } finally {
    clearInterval(renewal)
  }
}
