import { cancelJob } from '@tideport/contracts/public/jobs'
import { cancelJob as cancel, findJob } from '@tideport/file-lifecycle/many/account-job'
import { expireLeft } from '@tideport/file-lifecycle/many/made-files'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import type { FilesConfig } from '../config.ts'
import { toJob } from '../many/job-view.ts'
import { jobsSeenBy } from '../many/jobs-seen.ts'

interface Deps {
  db: Kysely<FilesDb>
  config: Pick<FilesConfig, 'auditRetentionSeconds'>
}

/** `POST /api/jobs/:jobId/cancel`. One that is over is answered as it is. */
export function cancelJobRoute({ db, config }: Deps) {
  return serve(cancelJob, async ({ principal, params: { jobId } }) => {
    const isSeen = jobsSeenBy(principal)
    const job = (await cancel(db, jobId, isSeen, config)) ?? (await findJob(db, jobId, isSeen))
    if (job === null) throw notFound()
    // After it was cancelled, so that no batch begins anything more; a request that is repeated makes up for one that failed here.
    if (job.state === 'cancelled') await expireLeft(db, job)
    return toJob(job)
  })
}
