import { readJob } from '@tideport/contracts/public/jobs'
import { findJob } from '@tideport/file-lifecycle/many/account-job'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { notFound } from '@tideport/service-kit/process/app-error'
import type { Kysely } from 'kysely'
import { toJob } from '../many/job-view.ts'
import { jobsSeenBy } from '../many/jobs-seen.ts'

/** `GET /api/jobs/:jobId`. */
export function readJobRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(readJob, async ({ principal, params: { jobId } }) => {
    const job = await findJob(db, jobId, jobsSeenBy(principal))
    if (job === null) throw notFound()
    return toJob(job)
  })
}
