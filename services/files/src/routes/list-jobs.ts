import { listJobs } from '@tideport/contracts/public/jobs'
import type { AccountJobRow } from '@tideport/file-lifecycle/many/account-job'
import type { FilesDb } from '@tideport/file-lifecycle/state/tables'
import { serve } from '@tideport/service-kit/http/route'
import { type Kysely, sql } from 'kysely'
import { readPage } from '../lists/list-page.ts'
import { toJob } from '../many/job-view.ts'
import { jobsSeenBy } from '../many/jobs-seen.ts'

/** `GET /api/jobs`, newest first. */
export function listJobsRoute({ db }: { db: Kysely<FilesDb> }) {
  return serve(listJobs, async ({ principal, query }) => {
    const isSeen = jobsSeenBy(principal)
    const { rows, nextCursor } = await readPage<AccountJobRow>(
      db,
      { ...query, sortBy: 'createdAt', order: 'desc' },
      { reader: principal.accountId, list: 'jobs' },
      ({ position, isNext, orderBy, limit }) => sql`
        select *, ${position} as position from account_job where ${isSeen} and ${isNext} order by ${orderBy} limit ${limit}`,
    )
    return { jobs: rows.map(toJob), nextCursor }
  })
}
